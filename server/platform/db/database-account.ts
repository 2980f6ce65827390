import type { Generated } from 'kysely';
import type { Ability } from '#contract/abilities.ts';
import type { PersonSettings } from '#contract/auth/profile.ts';
import type { ApiKeyId, ImpersonationId, Ms, TenantId, UserId } from '#contract/ids.ts';
import type { JsonColumn, Filled } from './json-column.ts';

/**
 * Names and secrets of a user. They are not in the log, so that they can be deleted. `username_key`
 * is the lower-cased name, unique in a tenant.
 */
export interface PersonTable {
  tenant_id: TenantId;
  id: UserId;
  username: string;
  username_key: string;
  name: string;
  email: string | null;
  /** Whether the user confirmed the address, or an administrator set it. */
  email_verified: Generated<boolean>;
  password_hash: string | null;
  auth: Generated<'db' | 'ad'>;
  mobile_phone: Generated<string | null>;
  office_phone: Generated<string | null>;
  /** Whether the user must choose a new password, or security questions, after signing in. */
  password_reset: Generated<boolean>;
  force_questions: Generated<boolean>;
  phone_updated_once: Generated<boolean>;
  language: Generated<string | null>;
  time_zone: Generated<string | null>;
  terms_at: Generated<Ms | null>;
  password_at: Generated<Ms | null>;
  settings: Filled<PersonSettings>;
}

/** Stores tokens only as SHA-256. */
export interface SessionTable {
  tenant_id: TenantId;
  id: string;
  user_id: UserId;
  access_hash: string;
  access_until: Ms;
  refresh_hash: string;
  previous_refresh_hash: string | null;
  /** Whether the access token of the current pair was used since the last refresh. */
  pair_used: Generated<boolean>;
  rotated_at: Ms;
  idle_until: Ms;
  absolute_until: Ms;
  made_at: Ms;
  ended_at: Ms | null;
  ip: string;
  agent: string;
  /** The actor that impersonates the user, its session and its reason; null: the user itself. */
  actor_id: Generated<UserId | null>;
  impersonation_id: Generated<ImpersonationId | null>;
  reason: Generated<string | null>;
  parent_id: Generated<string | null>;
  /** The actor's provider and name, if that is a parent provider. */
  actor_tenant: Generated<TenantId | null>;
  actor_name: Generated<string | null>;
  /** When the user last authenticated. */
  authenticated_at: Generated<Ms>;
  how: Generated<string>;
}

/**
 * `hint`: the last characters of the key, of which only the hash is stored. `used_from`: the
 * network, never the whole address.
 */
export interface ApiKeyTable {
  tenant_id: TenantId;
  id: ApiKeyId;
  user_id: UserId;
  name: string;
  abilities: JsonColumn<readonly Ability[]>;
  hash: string;
  hint: string;
  made_at: Ms;
  until: Ms;
  used_at: Ms | null;
  used_from: string | null;
}

/**
 * An action of several steps before the user is signed in. `state` holds no secret; the code is
 * hashed.
 */
export interface AttemptTable {
  tenant_id: TenantId;
  id: string;
  kind: string;
  user_id: UserId | null;
  secret_hash: string;
  state: JsonColumn<Readonly<Record<string, unknown>>>;
  code_hash: string | null;
  code_until: Ms | null;
  tries: Generated<number>;
  sends: Generated<number>;
  made_at: Ms;
  until: Ms;
  done_at: Ms | null;
}

/** `id` is the credential's id; it and the key are base64url. */
export interface PasskeyTable {
  tenant_id: TenantId;
  id: string;
  user_id: UserId;
  public_key: string;
  counter: number;
  transports: JsonColumn<readonly string[]>;
  name: string;
  made_at: Ms;
  used_at: Ms | null;
}

/** A one-time secret: a link or a token. `hash`: SHA-256 (hex) of the secret. */
export interface OneTimeTable {
  tenant_id: TenantId;
  hash: string;
  kind: string;
  user_id: UserId | null;
  data: JsonColumn<Readonly<Record<string, unknown>>>;
  made_at: Ms;
  until: Ms;
  used_at: Ms | null;
}

/** The audit log of accounts. `user_id`: the affected user. */
export interface AuditTable {
  tenant_id: TenantId;
  at: Ms;
  id: string;
  what: string;
  user_id: UserId | null;
  actor_id: UserId | null;
  impersonation_id: ImpersonationId | null;
  ip: string;
  agent: string;
  detail: JsonColumn<Readonly<Record<string, unknown>>>;
  /** The one of `detail`. */
  organization: Generated<string | null>;
}

/**
 * An email or text message. `next_at`: the next attempt; null if it was sent, was given up, or has
 * no transport and stays here. `held_by`: the lease of the job that sends it now.
 */
export interface OutgoingTable {
  tenant_id: TenantId;
  id: string;
  kind: 'mail' | 'sms';
  sealed: string;
  made_at: Ms;
  sent_at: Ms | null;
  tries: Generated<number>;
  next_at: Ms | null;
  fault: string | null;
  held_by: Generated<string | null>;
}

/**
 * A device on which this user has signed in, and until when it is trusted. Stores the token only as
 * SHA-256. The previous token stays valid until the new one is used.
 */
export interface TrustedDeviceTable {
  tenant_id: TenantId;
  user_id: UserId;
  id: string;
  hash: string;
  previous_hash: string | null;
  used_at: Ms;
  until: Ms;
  /** Until then, this device needs no code. */
  skips_code_until: Generated<Ms>;
}

/**
 * Failed attempts of a key, until when further attempts are refused, and when the count resets
 * (null: never).
 */
export interface ThrottleTable {
  tenant_id: TenantId;
  bucket: string;
  failures: number;
  until: Ms;
  at: Ms;
  forget_at: Ms | null;
}
