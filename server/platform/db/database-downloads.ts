import type { ColumnType, Generated } from 'kysely';
import type { ItemKind } from '#contract/engine/engine.ts';
import type {
  BackupRepositoryId,
  Bytes,
  DownloadId,
  ExplorerId,
  Ms,
  OrganizationId,
  TenantId,
  UserId,
} from '#contract/ids.ts';
import type { ServerDownload } from './database-vb365.ts';
import type { Filled, JsonColumn, JsonOrNull } from './json-column.ts';

/** Tables of downloads: their addresses, ZIP archives and files that are made in the background. */
export interface DownloadTables {
  download: {
    tenant_id: TenantId;
    id: DownloadId;
    organization_id: OrganizationId;
    user_id: UserId;
    session_id: string;
    name: string;
    request: JsonColumn<unknown>;
    ticket_hash: string | null;
    ticket_until: Ms;
    cookie_hash: string | null;
    entries: JsonOrNull;
    bytes: Bytes;
    etag: string;
    created_at: Ms;
    expires_at: Ms;
  };
  /** `file_name`: of a single item, which is no archive. */
  prepared_download: {
    tenant_id: TenantId;
    id: DownloadId;
    organization_id: OrganizationId;
    repository_id: BackupRepositoryId;
    user_id: UserId;
    explorer_id: ExplorerId;
    file_name: string | null;
    count: Generated<number>;
    bytes: Generated<Bytes>;
    directory_at: Generated<Bytes>;
    directory_bytes: Generated<Bytes>;
    complete: Generated<boolean>;
    expires_at: Ms;
    /** Of an operator, with the objects whose data it holds. */
    operator_id: string | null;
    objects: JsonColumn<readonly number[]>;
    folders: Filled<readonly DownloadFolder[]>;
    /**
     * Selections that a job has not listed yet. Null: all are listed, or the request lists them.
     */
    unlisted: ColumnType<unknown, string | null | undefined, string | null>;
  };
  /** `entries`: JSON. */
  prepared_part: {
    tenant_id: TenantId;
    download_id: DownloadId;
    n: number;
    first_byte: Bytes;
    first_record: Bytes;
    entries: string;
  };
  /** `file_name`: of a single file. What it holds is the row of `prepared_download` with this id. */
  background_download: {
    tenant_id: TenantId;
    id: DownloadId;
    organization_id: OrganizationId;
    /** Null: a server of Veeam Backup for Microsoft 365 makes it, as `server_request` says. */
    repository_id: BackupRepositoryId | null;
    user_id: UserId;
    workload: string;
    format: string;
    name: string;
    file_name: string | null;
    state: Generated<string>;
    message: string | null;
    items: number;
    items_done: Generated<number>;
    bytes: Bytes;
    bytes_done: Generated<Bytes>;
    missing: number;
    /** False: `items` and `bytes` are estimates until a job has listed them. */
    listed: Generated<boolean>;
    failed: Generated<number>;
    created_at: Ms;
    ended_at: Ms | null;
    expires_at: Ms;
    /** Of an operator, with the objects whose data it holds. */
    operator_id: Generated<string | null>;
    server_request: ColumnType<ServerDownload | null, string | undefined, string>;
    objects: Filled<readonly number[]>;
  };
  /** What a download lacks. `n`: of a failed item, its place among those of the download. */
  download_gap: {
    tenant_id: TenantId;
    download_id: DownloadId;
    outcome: 'missing' | 'failed';
    n: number;
    path: string;
  };
  /** `next_item`: the first after this part. `bytes_read`, `failed`: of everything up to it. */
  background_part: {
    tenant_id: TenantId;
    download_id: DownloadId;
    n: number;
    name: string;
    bytes: Bytes;
    sha256: string;
    next_item: number;
    bytes_read: Bytes;
    failed: number;
  };
}

/** A folder of a mailbox in a download: its path, and what it holds. */
export interface DownloadFolder {
  readonly path: readonly string[];
  readonly holds: Extract<ItemKind, 'mail' | 'event' | 'contact' | 'task'>;
}
