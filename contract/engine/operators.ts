import type { Ms } from '../ids.ts';
import type {
  DeviceCode,
  DeviceCodeState,
  EngineScope,
  EngineId,
  Region,
  Reply,
} from './engine.ts';

/** What restores by operators need of an organization's tenant. */
export interface OperatorCalls {
  /** Reads who is in groups, where that isn't known or older than `maxAgeMs`. */
  refreshGroups(
    scope: Pick<EngineScope, 'tenant' | 'organization'>,
    input: { groups: readonly EngineId[]; maxAgeMs: Ms },
  ): Reply<void>;
  /** Returns the address of Microsoft's page on which a person signs in to the application. */
  getSignInUrl(input: SignInApplication & { state: string; challenge: string }): Reply<string>;
  /** Redeems the code that Microsoft's page returned, once. */
  redeemCode(
    input: SignInApplication & { secret: string | null; code: string; verifier: string },
  ): Reply<TenantPerson>;
  /** Requests a code with which a person shows who it is. `deviceCode` is a secret. */
  requestCode(input: {
    region: Region;
  }): Reply<Omit<DeviceCode, 'id'> & { readonly deviceCode: string }>;
  /** Checks once whether somebody signed in with a code. */
  checkCode(input: { region: Region; deviceCode: string }): Reply<CheckedPerson>;
}

/** An application of Microsoft Entra that people of any tenant sign in to. */
export interface SignInApplication {
  readonly region: Region;
  readonly clientId: EngineId;
  readonly redirectUri: string;
}

export type CheckedPerson =
  | { readonly state: Exclude<DeviceCodeState, 'granted'> }
  | { readonly state: 'granted'; readonly person: TenantPerson };

/** A person of a tenant, by the ids of Entra. */
export interface TenantPerson {
  readonly directoryId: EngineId;
  readonly object: EngineId;
  readonly name: string;
  /** The user principal name. */
  readonly username: string;
}
