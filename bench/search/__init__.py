"""Search measured: a made-up corpus, questions about it, and the engines that answer them."""
