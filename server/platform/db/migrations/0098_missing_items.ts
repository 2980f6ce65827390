import { owned, type Migration } from './migration.ts';

/**
 * What a download lacks: `missing`, without backed-up content, or `failed`, which could not be read. `n`:
 * the place among those of the same outcome, and of a failed one among the items of the download.
 */
export const migration0098: Migration = {
  name: '0098',
  statements: owned(
    'download_gap',
    'tenant_id uuid not null, download_id uuid not null, outcome text not null, n integer not null, path text not null, primary key (tenant_id, download_id, outcome, n)',
  ),
};
