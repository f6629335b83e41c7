"""Holds loops that are lifted as they stand: the code of graphs is written elsewhere.

common.py          functions that the code of all graphs calls
whole_columns.py   takes the calls of every graph, and answers without a compiler
"""
