"""HOW windows over a stream that never ends are kept: state that outlives the process.

Keys are divided into buckets, and all keys of a bucket are moved on by the same calls.
A bucket has a store of numbered blobs: 0 is its header, the others are pages.  A step
takes in the tables of a micro-batch and the watermark, and gives the results now due.

    what a step passes               windows over slices     windows over rows, wr.over
    1. the header is read            header, fingerprint     row_pages, fingerprint
    2. late rows are told apart      feed, late              rows
    3. open rows wait                cells                   row_pages
    4. windows that fall due         walk, stretches         due
    5. their results                 advance, pieces         due
       with what came late           late, late_parts        rows
    6. pages are written             slice_pages, header     row_pages
    the bucket that does all this    slices                  rows, last_rows

    own_time  the time of a query whose source may fall silent
    codec     a table as bytes that can be kept for years, where a bucket keeps them,
              and the statistics of a step

This package knows plans, Arrow tables and the kernels of `batch`; it does not know
Spark, nor where blobs are kept, nor what makes the watermark move.
"""
