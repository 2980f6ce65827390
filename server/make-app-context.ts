import { type CloudConnection, makeCloudConnection } from './engine/public/cloud.ts';
import {
  type BlobThreads,
  type EmbeddedEngine,
  makeBlobThreads,
  makeEmbeddedEngine,
  makeVb365Engine,
  type Vb365Engine,
} from './engine/public/engines.ts';
import {
  makePaymentConnection,
  type PaymentConnection,
} from './features/billing/stripe/payment-connection.ts';
import type { QuickBooksRenewals } from './features/billing/quickbooks-tokens.ts';
import type { BodyLimiter } from './features/ingest/ingest-body-limiter.ts';
import { makeBodyLimiter } from './features/ingest/ingest-body-limiter.ts';
import { makeResultQueue } from './features/ingest/pipeline.ts';
import type { ResultQueue } from './features/ingest/pipeline.ts';
import { type MailPreviews, makeMailPreviews } from './features/restore/preview/previews.ts';
import { makeAutotaskZones } from './features/tickets/autotask.ts';
import type { AutotaskZones } from './features/tickets/autotask.ts';
import { makeKnownSessions } from './platform/auth/known-sessions.ts';
import { makeSessionKey } from './platform/auth/session-key.ts';
import { makeKeyring } from './platform/crypto/master-key.ts';
import { makeIssuers } from './platform/outbound/issuer.ts';
import { makeSharedLimits } from './platform/rate-limit/shared-limits.ts';
import type { AppContext, Environment } from './platform/app-context.ts';

declare module './platform/app-context.ts' {
  interface AppContext {
    /** All requests of a key share its queue, whatever call they use. */
    readonly ingestBodies: BodyLimiter;
    readonly resultQueue: ResultQueue;
    readonly quickBooksRenewals: QuickBooksRenewals;
    readonly autotaskZones: AutotaskZones;
    readonly cloud: CloudConnection;
    readonly payments: PaymentConnection;
    /** All repositories that are being written share their threads. */
    readonly blobThreads: BlobThreads;
    readonly embeddedEngine: EmbeddedEngine;
    readonly vb365Engine: Vb365Engine;
    readonly mailPreviews: MailPreviews;
  }
}

/**
 * Makes the context of one server. Two contexts share nothing, even in one process and on one
 * database. A copy with another part (`{ ...context, clock }`) shares the services.
 */
export function makeAppContext({ store, clock, chance, log, config }: Environment): AppContext {
  const keyring = makeKeyring({ config, chance });
  const context: AppContext = {
    store,
    clock,
    chance,
    log,
    config,
    serverId: chance.uuid(),
    knownSessions: makeKnownSessions(store),
    keyring,
    sessionKey: makeSessionKey({ store, clock, chance, keyring }),
    issuers: makeIssuers(),
    runningCommands: new Map(),
    sharedLimits: makeSharedLimits({ store, clock, chance, log }),
    ingestBodies: makeBodyLimiter(),
    resultQueue: makeResultQueue(() => context),
    quickBooksRenewals: new Map(),
    autotaskZones: makeAutotaskZones(),
    cloud: makeCloudConnection(() => context),
    payments: makePaymentConnection(() => context),
    blobThreads: makeBlobThreads(),
    embeddedEngine: makeEmbeddedEngine(() => context),
    vb365Engine: makeVb365Engine(() => context),
    mailPreviews: makeMailPreviews({ clock }),
  };
  return context;
}
