"""What the experiments are made of: a module is used by several scripts, or is a stage of one."""
