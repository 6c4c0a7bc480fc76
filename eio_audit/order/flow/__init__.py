"""The ops that must give way, by maximum flow: wrong labels, and ops that move."""
