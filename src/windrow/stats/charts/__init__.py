"""Charts of tables, as Vega-Lite specifications: plain values, drawn elsewhere."""
