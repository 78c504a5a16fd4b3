"""Charts of tables as Vega-Lite specifications, and their rendering."""
