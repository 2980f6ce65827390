import { afterAll } from 'vitest';
import { closeStores } from './db/databases.ts';

// Set up before each file of the server's suites, of which many share a process.
afterAll(closeStores);
