/**
 * The directory's answer to a user name and a password. `unreachable`: the directory did not
 * respond.
 */
export type Bound =
  | {
      readonly kind: 'right';
      readonly dn: string;
      readonly name: string | null;
      readonly email: string | null;
    }
  | {
      readonly kind:
        | 'wrong'
        | 'locked'
        | 'disabled'
        | 'not-now'
        | 'must-change'
        | 'expired'
        | 'unreachable';
    };

/**
 * The outcome of a password change. `refused`: the directory's own rules (`WILL_NOT_PERFORM`), with
 * its message in `says`.
 */
export type Changed =
  | { readonly kind: 'done' | 'wrong' | 'unreachable' | 'unknown' }
  | { readonly kind: 'refused'; readonly message: string };

/**
 * Active Directory or a compatible server. User names are those of the portal: `name` or
 * `name@domain`.
 */
export interface UserDirectory {
  bind(username: string, password: string): Promise<Bound>;
  /** Changes the password as the user; the directory verifies the current one. */
  change(username: string, current: string, next: string): Promise<Changed>;
  /** Sets the password as the service account. */
  reset(username: string, next: string, mustChange: boolean): Promise<Changed>;
  unlock(username: string): Promise<Changed>;
}
