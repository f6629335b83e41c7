"""How things are measured: clocks, turns, checked answers, and contenders."""
