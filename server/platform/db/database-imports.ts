import type { Generated } from 'kysely';
import type { EngineId } from '#contract/engine/engine.ts';
import type {
  StoredImportFolder,
  ImportResult,
  ImportState,
  ServerAccount,
} from '#contract/engine/imports.ts';
import type { SessionResult } from '#contract/engine/sessions.ts';
import type {
  BackupRepositoryId,
  Bytes,
  Ms,
  OrganizationId,
  PointId,
  TenantId,
  UserId,
} from '#contract/ids.ts';
import type { Filled, JsonColumn } from './json-column.ts';

/** Tables of imports (migrations 0051 and 0055). */
export interface ImportTables {
  /** Without a ticket, nobody uploads its archive. `point_id`: of the restore point that it makes. */
  import_task: {
    tenant_id: TenantId;
    id: EngineId;
    organization_id: OrganizationId;
    repository_id: BackupRepositoryId;
    user_id: UserId;
    object_id: string;
    object_name: string;
    name: string;
    bytes: Bytes;
    received_bytes: Generated<Bytes>;
    uploaded_at: Ms;
    session_id: string | null;
    ticket_hash: string | null;
    state: Generated<ImportState>;
    result: SessionResult | null;
    message: string | null;
    next_entry: Generated<number>;
    read_bytes: Generated<Bytes>;
    folders: Filled<readonly StoredImportFolder[]>;
    point_id: PointId;
    created_at: Ms;
    started_at: Ms | null;
    ended_at: Ms | null;
  };
  /** `sealed`: the password of the mailbox, until the import ends. */
  import_server: {
    tenant_id: TenantId;
    import_id: EngineId;
    account: JsonColumn<ServerAccount>;
    sealed: string | null;
    mails: number | null;
  };
  import_result: {
    tenant_id: TenantId;
    import_id: EngineId;
    n: number;
    path: string;
    name: string;
    outcome: ImportResult['outcome'];
    message: string;
  };
}
