"""Runs queries on Spark: DataFrames in, lazy DataFrames out, no job started.

    entry         plans a call for a DataFrame, checks it (`checks`), and runs it
    aggregate     windows of a DataFrame       spans      ... of events with a duration
    over          rolling columns              stream     both, of a streaming DataFrame
    as_of         features of labels           tiles      slices that are stored
    as_of_chunks  the same where keys have very many events
    join_back     labels of very many columns, joined with their features
    history       tiles that a stream begins with
    policies      windows by policy            functions  table functions of SQL
    relation      the parts of a CQL query around them; its scalars are in `expressions`

    what a DataFrame passes
    1. columns are selected, keys are normalised        shuffle
    2. rows are folded into slices                      partials, sql
    3. slices or rows are shuffled and sorted           shuffle, layout
    4. tasks run in Python workers                      ship, worker
       with the kernels that a rehearsal calls          lanes, rehearsal
    5. windows become the table that a user sees        result, schema
    in place of 2 to 4, where nothing slides            catalyst
    and a stream, in place of 3 and 4                   processor
       whose watermark is set so that no row jumps      guard

The tasks are in `tasks` and `state`, which know nothing of Spark.  This is the only
package that imports pyspark, and it uses what classic and Connect sessions have in
common.  Workers load `worker` and the tasks only, so that nothing is imported here.
"""
