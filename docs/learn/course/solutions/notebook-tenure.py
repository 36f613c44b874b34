"""The exercise of the notebook on Tenure: a suspended leader does not hear of the next one."""

faults = ["suspend"]
