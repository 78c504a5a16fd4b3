"""Dublin Core in its variants: plain and qualified, and the thesis formats built on it."""
