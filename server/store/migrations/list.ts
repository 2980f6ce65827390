import { migration0001 } from './0001.ts';
import { migration0002 } from './0002.ts';
import { migration0003 } from './0003.ts';
import { migration0004 } from './0004.ts';
import { migration0005 } from './0005.ts';
import { migration0006 } from './0006.ts';
import { migration0007 } from './0007.ts';
import { migration0008 } from './0008.ts';
import { migration0009 } from './0009.ts';
import { migration0010 } from './0010.ts';
import { migration0011 } from './0011.ts';
import { migration0012 } from './0012.ts';
import { migration0013 } from './0013.ts';
import { migration0015 } from './0015.ts';
import { migration0016 } from './0016.ts';
import { migration0014 } from './0014.ts';
import { migration0018 } from './0018.ts';
import { migration0019 } from './0019.ts';
import { migration0020 } from './0020.ts';
import { migration0021 } from './0021.ts';
import { migration0022 } from './0022.ts';
import { migration0023 } from './0023.ts';
import { migration0024 } from './0024.ts';
import { migration0025 } from './0025.ts';
import { migration0029 } from './0029.ts';
import { migration0034 } from './0034.ts';
import type { Migration } from './migration.ts';

/** In the order in which they are run. What was published is never changed: add one. */
export const MIGRATIONS: readonly Migration[] = [
  migration0001,
  migration0002,
  migration0003,
  migration0004,
  migration0005,
  migration0006,
  migration0007,
  migration0008,
  migration0009,
  migration0010,
  migration0011,
  migration0012,
  migration0013,
  migration0014,
  migration0015,
  migration0016,
  migration0018,
  migration0019,
  migration0020,
  migration0021,
  migration0022,
  migration0023,
  migration0024,
  migration0025,
  migration0029,
  migration0034,
];
