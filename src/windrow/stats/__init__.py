"""What records add up to: tables of figures over any query, and charts of them."""
