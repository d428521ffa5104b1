"""From a broken rule, a failed call or a strange value back to the step that is most likely to blame."""
