import { getUuid } from '../random.ts';
import {
  type Application,
  findApplication,
  keyOfCertificate,
  listApplications,
  newApplication,
  newPassword,
  removeApplication,
  saveApplication,
} from './applications.ts';
import {
  type ItemRow,
  type VersionRow,
  changeContent,
  deleteItem,
  editContent,
  findItem,
  insertItem,
  listVersions,
  readFileBytes,
  storeBytes,
} from './drive-store.ts';
import { getFolderPath } from './drive-entities.ts';
import { driveOfOwner } from './drive.ts';
import { type AuthorizationCodes, authorize, type DeviceCodes } from './entra.ts';
import {
  type FolderRow,
  type MessageRow,
  deleteMessage,
  findFolder,
  findMailbox,
  findMessage,
  listFolders,
  moveMessage,
  purgeMessage,
  updateMessage,
} from './mailbox-store.ts';
import { makeRng } from '../random.ts';
import { type OutlookAdmin, outlookAdmin } from './outlook/admin.ts';
import { nestGroup } from './groups.ts';
import { type Person, addPerson, listPeople, removePerson } from './people.ts';
import { type TenantSize, fillPerson, makeFile, makeMessage } from './seed.ts';
import { type SiteAdmin, createSiteAdmin } from './site-admin.ts';
import type { Tenant } from './store.ts';
import { type TeamAdmin, teamAdmin } from './team-admin.ts';
import { expireTokens } from './sync-token.ts';
import type { LoggedRequest, RequestWatch } from './watch.ts';
import { type FailureRule, makeFailurePlan } from './failure-plan.ts';

/** What tests and the local page do with the tenant, as its people and administrators do. */
export interface TenantAdmin extends SiteAdmin {
  listUsers(): Person[];
  addUser(): Person;
  removeUser(id: string): void;
  /** Makes a group a member of another one. */
  nestGroup(group: string, member: string): void;
  listFolders(user: string): FolderRow[];
  listMessages(user: string, folder?: string): MessageRow[];
  /** A mail from somebody arrives. */
  addMessage(user: string, folder?: string): MessageRow;
  moveMessage(user: string, message: string, folder: string): MessageRow;
  flagMessage(user: string, message: string, isFlagged: boolean): MessageRow;
  /** Changes the text of a mail, as people can in Outlook, also of one that they received. */
  editMessage(user: string, message: string, content: string): MessageRow;
  deleteMessage(user: string, message: string): void;
  purgeMessage(user: string, message: string): void;
  listFiles(user: string): ItemRow[];
  /** Returns the names of the folders above a file, `a/b`. */
  getFolderPath(file: ItemRow): string;
  /** Adds a made file to the top folder of a drive. */
  addFile(user: string): ItemRow;
  /** Adds a folder to a user's drive. `parent` null: to its root. */
  addFolder(user: string, parent: string | null, name: string): ItemRow;
  /** Replaces a file's content, by new bytes or its next revision. */
  changeFile(user: string, item: string, bytes?: Uint8Array): ItemRow;
  deleteFile(user: string, item: string): void;
  /** Returns the versions of a file, the newest first: that is what it has now. */
  listVersions(item: string): VersionRow[];
  readVersion(version: VersionRow): Uint8Array;
  /** Removes a version, as a library does that has too many. */
  trimVersion(item: string, version: number): void;
  readonly teams: TeamAdmin;
  readonly outlook: OutlookAdmin;
  /** Registers an application with a secret and consents to its roles. */
  registerApplication(name: string, roles: readonly string[]): { appId: string; secret: string };
  /** Adds a certificate, in DER, to an application. */
  addCertificate(appId: string, der: Buffer): void;
  /** Consents to other roles. */
  grantRoles(appId: string, roles: readonly string[]): void;
  findApplication(appId: string): Application | null;
  /** Returns the applications that sign in without a user. */
  listApplications(): Application[];
  removeApplication(appId: string): void;
  /** Returns false if no such code waits. */
  approveDeviceCode(userCode: string, user: string): boolean;
  /** A person signs in on Entra's page at this address. Returns where it leads the browser. */
  signIn(page: string, user: string): string;
  declineDeviceCode(userCode: string): boolean;
  listDeviceCodes(): { userCode: string; clientId: string; scopes: readonly string[] }[];
  /** From now on, every delta token is answered with 410. */
  expireTokens(): void;
  /** From now on, requests fail as the rules say; an empty list ends that. */
  setFailurePlan(rules: readonly FailureRule[], seed?: number): void;
  /** Returns the latest requests, oldest first, parts of batches too. */
  requests(): readonly LoggedRequest[];
}

export function createAdmin(
  tenant: Tenant,
  parts: {
    readonly codes: DeviceCodes;
    readonly authorizations: AuthorizationCodes;
    readonly watch: RequestWatch;
    readonly size: TenantSize;
  },
): TenantAdmin {
  const { store } = tenant;
  const { codes, authorizations, watch, size } = parts;
  const getUser = (key: string): Person => findMailbox(tenant, key);
  const messageAt = (user: string, id: string): MessageRow =>
    findMessage(tenant, getUser(user).id, id);
  const settle = (userCode: string, state: 'declined' | { personId: string }): boolean => {
    const code = [...codes.values()].find((one) => one.userCode === userCode.toUpperCase());
    if (!code || code.state !== 'pending' || code.expiresAt <= tenant.now()) return false;
    code.state = state;
    return true;
  };
  return {
    ...createSiteAdmin(tenant, size),
    listUsers: () => listPeople(tenant),
    nestGroup: (group, member) => {
      nestGroup(tenant, group, member);
    },
    addUser: () =>
      store.transaction(() => {
        const person = addPerson(tenant);
        fillPerson(tenant, person, listPeople(tenant), {
          ...size,
          minMails: 3,
          maxMails: 8,
          minFiles: 2,
          maxFiles: 5,
        });
        return person;
      }),
    removeUser: (id) => store.transaction(() => removePerson(tenant, id)),
    listFolders: (user) => listFolders(tenant, getUser(user).id),
    listMessages: (user, folder) => {
      const { id } = getUser(user);
      return folder === undefined
        ? store.all<MessageRow>('select * from message where mailbox = ? order by n', id)
        : store.all<MessageRow>(
            'select * from message where folder_id = ? order by n',
            findFolder(tenant, id, folder).id,
          );
    },
    addMessage: (user, folder = 'inbox') => {
      const person = getUser(user);
      const serial = store.seq();
      makeMessage(tenant, person, listPeople(tenant), {
        random: makeRng(tenant.seed, 'arrives', serial),
        folder: findFolder(tenant, person.id, folder),
        at: Math.floor(tenant.now() / 1000) * 1000,
        serial,
      });
      const row = store.get<MessageRow>('select * from message order by n desc limit 1');
      if (!row) throw new Error('a message that was just added is missing');
      return row;
    },
    moveMessage: (user, message, folder) =>
      moveMessage(tenant, messageAt(user, message), findFolder(tenant, getUser(user).id, folder)),
    flagMessage: (user, message, isFlagged) =>
      updateMessage(tenant, messageAt(user, message), {
        props: { flag: { flagStatus: isFlagged ? 'flagged' : 'notFlagged' } },
      }),
    editMessage: (user, message, content) =>
      updateMessage(tenant, messageAt(user, message), {
        props: { body: { contentType: 'text', content } },
      }),
    deleteMessage: (user, message) => deleteMessage(tenant, messageAt(user, message)),
    purgeMessage: (user, message) => purgeMessage(tenant, messageAt(user, message)),
    listFiles: (user) =>
      store.all<ItemRow>(
        'select * from item where drive_id = ? and deleted = 0 and is_folder = 0 order by n',
        driveOfOwner(tenant, user).id,
      ),
    getFolderPath: (file) => getFolderPath(tenant, file),
    addFolder(user, parent, name) {
      const drive = driveOfOwner(tenant, user);
      return insertItem(tenant, {
        driveId: drive.id,
        parentId: parent ?? findItem(tenant, drive.id, 'root').id,
        name,
        author: user,
        at: tenant.now(),
        content: null,
      });
    },
    addFile: (user) => {
      const drive = driveOfOwner(tenant, user);
      const person = listPeople(tenant).find(({ id }) => id === drive.owner_id);
      const serial = store.seq();
      if (person)
        makeFile(tenant, person, {
          driveId: drive.id,
          parentId: findItem(tenant, drive.id, 'root').id,
          random: makeRng(tenant.seed, 'file', serial),
          serial,
          maxBytes: size.maxFileBytes,
          at: tenant.now(),
        });
      const row = store.get<ItemRow>('select * from item order by n desc limit 1');
      if (!row) throw new Error('a file that was just added is missing');
      return row;
    },
    changeFile: (user, id, bytes) => {
      const item = findItem(tenant, driveOfOwner(tenant, user).id, id);
      const content = bytes
        ? { content: storeBytes(tenant, bytes), size: bytes.length }
        : editContent(item);
      return changeContent(tenant, item, content, item.author);
    },
    deleteFile: (user, id) =>
      deleteItem(tenant, findItem(tenant, driveOfOwner(tenant, user).id, id)),
    listVersions: (id) => listVersions(tenant, id),
    readVersion: (version) => readFileBytes(tenant, version),
    trimVersion: (id, version) => {
      store.run(`delete from version where item_id = ? and version = ?`, id, version);
    },
    teams: teamAdmin(tenant),
    outlook: outlookAdmin(tenant),
    registerApplication: (name, roles) => {
      const password = newPassword(tenant, 'secret');
      const made = newApplication(tenant, name);
      // Consent creates the principal.
      const principalId = roles.length === 0 ? null : getUuid(tenant.seed, 'principal', made.appId);
      const application = { ...made, passwords: [password], roles, principalId };
      saveApplication(tenant, application);
      return { appId: application.appId, secret: password.secretText };
    },
    addCertificate: (appId, der) => {
      const application = findApplication(tenant, appId);
      if (application)
        saveApplication(tenant, {
          ...application,
          keys: [...application.keys, keyOfCertificate(tenant, der, null)],
        });
    },
    grantRoles: (appId, roles) => {
      const application = findApplication(tenant, appId);
      if (application) saveApplication(tenant, { ...application, roles });
    },
    findApplication: (appId) => findApplication(tenant, appId),
    listApplications: () => listApplications(tenant).filter(({ isPublic }) => !isPublic),
    removeApplication: (appId) => {
      const application = findApplication(tenant, appId);
      if (application) removeApplication(tenant, application);
    },
    approveDeviceCode: (userCode, user) =>
      settle(userCode, { personId: getPersonId(tenant, user) }),
    signIn: (page, user) => authorize(tenant, authorizations, page, getPersonId(tenant, user)),
    declineDeviceCode: (userCode) => settle(userCode, 'declined'),
    listDeviceCodes: () =>
      [...codes.values()]
        .filter(({ state, expiresAt }) => state === 'pending' && expiresAt > tenant.now())
        .map(({ userCode, clientId, scopes }) => ({ userCode, clientId, scopes })),
    expireTokens: () => expireTokens(tenant),
    setFailurePlan: (rules, seed = tenant.seed) => watch.setPlan(makeFailurePlan(rules, seed)),
    requests: () => watch.requests(),
  };
}

const getPersonId = (tenant: Tenant, user: string): string =>
  listPeople(tenant).find(({ id, upn }) => id === user || upn === user)?.id ?? user;
