"""Windows over a stream that never ends: state that outlives the process.

bucket     the keys whose state is kept together; one call serves them all
store      numbered blobs of one bucket: 0 is its header, the others are pages
step       rows that came, and how far the watermark is: results that fell due
"""
