"""HOW windows over a stream that never ends are kept: state that outlives the process.

Keys are divided into buckets, and all keys of a bucket are moved on by the same calls.
A bucket has a store of numbered blobs: 0 is its header, the others are pages.  A step
takes in the tables of a micro-batch and the watermark, and gives the results now due.

    what a step passes            slices of time         slices of rows   rows
    1. the header is read         header, fingerprint    row_pages, fingerprint
    2. late rows are told apart   feed, late             rows             rows
    3. open rows wait             cells                  row_pages        row_pages
    4. windows that fall due      walk, stretches        due, locate      due
    5. their results              advance, pieces        positions        due
       of places in arrays        pieces                 pieces
       with what came late        late, late_parts                        rows
    6. pages are written          slice_pages, header    fill_shelves     row_pages
       and found again            far_pages              shelves
       keys                       header                 key_table        key_table
    the bucket                    slices, span_slices    past_slices      rows,
                                                                          last_rows,
                                                                          policies

Slices of time are those of time windows, slices of rows those of count windows and of
`wr.over`; rows are kept for aggregates that have no partial of bounded size.

    codec     a table as bytes that can be kept for years, where a bucket keeps them,
              and the statistics of a step

This package knows plans, Arrow tables and the kernels of `batch`; it does not know
Spark, nor where blobs are kept, nor what makes the watermark move.
"""
