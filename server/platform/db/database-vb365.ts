import type { ColumnType, Generated } from 'kysely';
import type { RetentionType } from '#contract/backup/retention.ts';
import type { ServerRetention } from '#contract/backup/server-repositories.ts';
import type { EngineId, Node, RequestOrigin, Workload } from '#contract/engine/engine.ts';
import type { JobNotification } from '#contract/engine/server-jobs.ts';
import type {
  Bytes,
  ExplorerId,
  Ms,
  NodeId,
  OrganizationId,
  TenantId,
  UserId,
} from '#contract/ids.ts';
import type { Filled, JsonColumn } from './json-column.ts';

/** Servers of Veeam Backup for Microsoft 365 and what was imported from them (migration 0053). */
export interface Vb365Tables {
  /** `problem`: why it was not read the last time; `failures`: how often in a row. */
  vb365_server: {
    tenant_id: TenantId;
    id: EngineId;
    address: string;
    certificate: string | null;
    username: string;
    sealed: string;
    version: string | null;
    made_at: Ms;
    changed_at: Ms;
    read_at: Ms | null;
    failures: Generated<number>;
    problem: string | null;
    /** Null: everything is read the next time, as it is once it is `whole_wanted_at` (migration 0090). */
    feed: ColumnType<Vb365Feed | null, string | null | undefined, string | null>;
    whole_at: ColumnType<Ms | null, Ms | null | undefined, Ms | null>;
    whole_wanted_at: Generated<Ms>;
  };
  /** `server_key`: its id on the server. */
  vb365_organization: {
    tenant_id: TenantId;
    organization_id: OrganizationId;
    server_id: EngineId;
    server_key: string;
    /** When its licensed users were read (migration 0091). */
    licenses_read_at: ColumnType<Ms | null, Ms | null | undefined, Ms | null>;
  };
  /** Users with a license on its server. */
  vb365_licensed_user: {
    tenant_id: TenantId;
    organization_id: OrganizationId;
    id: string;
    name: string;
    first_at: Ms;
    last_at: Ms;
    is_added: boolean;
    gone_at: ColumnType<Ms | null, Ms | null | undefined, Ms | null>;
  };
  vb365_object: {
    tenant_id: TenantId;
    organization_id: OrganizationId;
    kind: 'job' | 'repository';
    id: EngineId;
    server_key: string;
    detail: Filled<Vb365Detail>;
    /** When a user last changed it on the server. What was read before is out of date. */
    commanded_at: Generated<Ms>;
  };
  /** Removed repositories whose backups a server has (migration 0084). Keys are ids on the server. */
  vb365_removed_repository: {
    tenant_id: TenantId;
    id: EngineId;
    name: string;
    proxy_key: string | null;
    path: string;
    object_storage_key: string | null;
    retention_type: RetentionType;
    retention: JsonColumn<ServerRetention>;
    removed_at: Ms;
  };
  /** Restore sessions on servers (migration 0063). `session_key`: the id on the server. */
  vb365_explorer: {
    tenant_id: TenantId;
    id: ExplorerId;
    organization_id: OrganizationId;
    user_id: UserId;
    workload: Workload;
    session_key: string;
    point_at: Ms;
    opened_at: Ms;
    used_at: Ms;
    stopped_at: Ms | null;
    /** Sealed: with it, the session may write (migration 0074). */
    code: Generated<string | null>;
    code_until: Generated<Ms | null>;
    code_granted: Generated<boolean>;
    /** The session may still be open on the server (migration 0077). */
    is_open: Generated<boolean>;
  };
  /** What they have shown. `object_id`: the mailbox or drive; `item_key`: empty for itself. */
  vb365_node: {
    tenant_id: TenantId;
    organization_id: OrganizationId;
    id: NodeId;
    object_id: NodeId;
    kind: Node['kind'];
    object_key: string;
    item_key: string;
    name: string;
    people: string;
    bytes: Bytes | null;
    at: Ms | null;
    read_at: Ms;
  };
}

/**
 * Up to where the change feed of a server was read. `token`: the server's own word for it, of a
 * `version` of its API. `lists`: a fingerprint of what has no feed.
 */
export interface Vb365Feed {
  readonly version: 'v7' | 'v8';
  readonly token: string;
  readonly lists: string;
}

/** What a download asks of a server (migration 0077). `attempts`: how often it broke off. */
export interface ServerDownload {
  readonly explorer: ExplorerId;
  readonly nodes: readonly NodeId[];
  readonly format: string;
  /** Null: of any size. */
  readonly maxBytes: Bytes | null;
  readonly attempts: number;
}

/**
 * Of a job: `version` of its items, what it showed last of its server's `clock`, who is `creating` it,
 * and whether it has to be started (`runNow`). Of a repository: what the organization uses; who is
 * making it (`requested`); `isAdded`: it belongs to the organization even before that uses it;
 * `shortened`: a shorter retention that the server gets later, and what it has until then; `saving`:
 * the request that changes it now; `removing`: the request that removes it.
 */
export interface Vb365Detail {
  readonly version?: number;
  readonly usedBytes?: Bytes;
  readonly requested?: NewVb365Repository;
  readonly isAdded?: boolean;
  readonly shortened?: {
    readonly before: ServerRetention;
    readonly retention: ServerRetention;
    readonly appliesAt: Ms;
  };
  readonly saving?: { readonly request: string; readonly at: Ms };
  readonly removing?: RepositoryRemoval;
  readonly clock?: { readonly time: string; readonly at: Ms };
  readonly creating?: NewVb365Job;
  readonly runNow?: UserId | 'nobody';
}

/** A job that a request creates. */
export interface NewVb365Job {
  readonly name: string;
  readonly user: UserId | null;
  readonly origin: RequestOrigin | null;
  readonly notification: JobNotification | null;
  readonly runNow: boolean;
  /** The fingerprint of what was sent; missing: nothing yet. */
  readonly sent?: string;
  /** The server's answer was lost. */
  readonly isLost?: boolean;
}

/** A repository that a request creates. */
export interface NewVb365Repository {
  readonly name: string;
  readonly user: UserId | null;
  /** The server's answer was lost. */
  readonly isLost?: boolean;
}

/** A request that removes a repository from its server. */
export interface RepositoryRemoval {
  readonly at: Ms;
  readonly origin: RequestOrigin | null;
}
