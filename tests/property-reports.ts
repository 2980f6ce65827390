import * as fc from 'fast-check';

// Summaries of a run show only the message of a failure, so it also says what failed for the inputs.
fc.configureGlobal({ ...fc.readConfigureGlobal(), includeErrorInReport: true });
