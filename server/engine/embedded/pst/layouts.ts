import { TYPES } from './properties.ts';
import { type PstColumn, makeLayout } from './table-context.ts';

const { int32, boolean, int64, string, time, binary } = TYPES;
const column = ([id, type]: readonly [number, PstColumn['type']]): PstColumn => ({ id, type });
const layout = (columns: readonly (readonly [number, PstColumn['type']])[]) =>
  makeLayout(columns.map(column));

/** The columns that tables of a PST file have at least. */
export const LAYOUTS = {
  /** Folders of a folder, [MS-PST] 2.4.4.4.1. */
  hierarchy: layout([
    [0x0e30, int32],
    [0x0e33, int64],
    [0x0e34, binary],
    [0x0e38, int32],
    [0x3001, string],
    [0x3602, int32],
    [0x3603, int32],
    [0x360a, boolean],
    [0x3613, string],
    [0x6635, int32],
    [0x6636, int32],
  ]),
  /** Messages of a folder, [MS-PST] 2.4.4.5.1. */
  contents: layout([
    [0x0017, int32],
    [0x001a, string],
    [0x0036, int32],
    [0x0037, string],
    [0x0039, time],
    [0x0042, string],
    [0x0057, boolean],
    [0x0058, boolean],
    [0x0070, string],
    [0x0071, binary],
    [0x0e03, string],
    [0x0e04, string],
    [0x0e06, time],
    [0x0e07, int32],
    [0x0e08, int32],
    [0x0e17, int32],
    [0x0e30, int32],
    [0x0e33, int64],
    [0x0e34, binary],
    [0x0e38, int32],
    [0x0e3c, binary],
    [0x0e3d, binary],
    [0x1097, int32],
    [0x3008, time],
    [0x65c6, int32],
  ]),
  /** Hidden messages of a folder, [MS-PST] 2.4.4.6.1. */
  hidden: layout([
    [0x001a, string],
    [0x0e07, int32],
    [0x0e17, int32],
    [0x3001, string],
    [0x6800, string],
    [0x6803, boolean],
    [0x7003, int32],
    [0x7004, binary],
    [0x7005, binary],
    [0x7006, string],
    [0x7007, int32],
  ]),
  /** Messages that a search found, [MS-PST] 2.4.8.6.2. */
  found: layout([
    [0x0017, int32],
    [0x001a, string],
    [0x0036, int32],
    [0x0037, string],
    [0x0039, time],
    [0x0042, string],
    [0x0057, boolean],
    [0x0058, boolean],
    [0x0e03, string],
    [0x0e04, string],
    [0x0e05, string],
    [0x0e06, time],
    [0x0e07, int32],
    [0x0e08, int32],
    [0x0e17, int32],
    [0x0e2a, boolean],
    [0x3008, time],
    [0x67f1, int32],
  ]),
  /** Recipients of a message, [MS-PST] 2.4.5.3.1. */
  recipients: layout([
    [0x0c15, int32],
    [0x0e0f, boolean],
    [0x0ff9, binary],
    [0x0ffe, int32],
    [0x0fff, binary],
    [0x3001, string],
    [0x3002, string],
    [0x3003, string],
    [0x300b, binary],
    [0x3900, int32],
    [0x39fe, string],
    [0x39ff, string],
    [0x3a40, boolean],
    [0x5ffd, int32],
    [0x5fff, int32],
  ]),
  /** Attachments of a message, [MS-PST] 2.4.6.1.1. */
  attachments: layout([
    [0x0e20, int32],
    [0x3704, string],
    [0x3705, int32],
    [0x370b, int32],
  ]),
} as const;
