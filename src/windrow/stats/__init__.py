"""Statistics: tables of figures over any query, and charts of them."""
