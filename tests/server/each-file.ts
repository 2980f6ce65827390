import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { afterAll } from 'vitest';
import { closeStores } from './db/databases.ts';

// A busy machine takes longer than Node's quarter of a second to connect to `localhost`.
setDefaultAutoSelectFamilyAttemptTimeout(60_000);

// Set up before each file of the server's suites, of which many share a process.
afterAll(closeStores);
