"""The provider's half of OAI-PMH 2.0 as pure functions: arguments parsed, answers rendered.

A face hands the pairs of a query to `arguments`, asks the store, and joins what `render` gives it.
"""
