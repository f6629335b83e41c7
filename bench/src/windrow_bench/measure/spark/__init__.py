"""How things are measured on Spark.

Everything in here imports pyspark: cards of experiments, which must load without it,
come here by `windrow_bench.libraries.load`.
"""
