import { type Migration, owned } from './migration.ts';

/**
 * ING-17: what each ingest key stored on a day (UTC). Refused: the interval in which results were
 * refused because the day's quota was used up.
 */
export const migration0029: Migration = {
  name: '0029',
  statements: owned(
    'ingest_usage',
    `tenant_id uuid not null, day text not null, key_id text not null, bytes bigint not null, logs_dropped bigint not null,
    refused_from bigint, refused_to bigint, primary key (tenant_id, day, key_id)`,
  ),
};
