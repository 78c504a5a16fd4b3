"""What the page for analysts shows: the same two questions that the how-to has, run by its test."""

from __future__ import annotations

SQL = """\
SELECT institution, year, count(*) AS records
FROM (SELECT unnest(institutions) AS institution, year FROM 'records.parquet' WHERE NOT deleted)
GROUP BY ALL
ORDER BY institution, year;
"""
PYTHON = """\
import pandas as pd

records = pd.read_parquet("records.parquet")
records = records[~records["deleted"]]
subjects = records.apply(lambda one: {*one["subjects"], *one["keywords"]}, axis=1).explode()
print(subjects.value_counts().head(10))
"""
