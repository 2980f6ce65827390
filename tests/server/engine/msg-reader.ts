import MsgReaderModule from '@kenjiuno/msgreader';

// An independent reader of MSG files. The package is CommonJS: its class is the default of its default.
export const MsgReader =
  (MsgReaderModule as unknown as { default?: typeof MsgReaderModule }).default ?? MsgReaderModule;
