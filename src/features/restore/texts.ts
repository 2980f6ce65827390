import type { IconName } from '#src/ui/icon.tsx';
import { itemMessages } from './items/messages.en.ts';
import { restoreMessages as t } from './messages.en.ts';
import { restoreTaskMessages } from './task/messages.en.ts';
import { treeMessages } from './tree/messages.en.ts';
import type { WorkloadKind } from './workload.ts';

/** The words of a restore page about what it shows. */
export interface WorkloadTexts {
  readonly icon: IconName;
  readonly page: string;
  readonly title: string;
  readonly noPoints: string;
  readonly search: string;
  readonly objects: string;
  readonly searchObjects: (count: number | null) => string;
  readonly noObjects: string;
  readonly choose: string;
  readonly chooseHint: string;
  readonly restoreObject: string;
  readonly titleObject: (name: string) => string;
  /** Null: everything is restored to its place. */
  readonly other: OtherPlace | null;
}
/** Another place to restore to: what lists such places, and the words about it. */
export interface OtherPlace {
  readonly targetsCall: 'listOrganizationUsers' | 'listOrganizationSites';
  readonly otherPlace: string;
  readonly target: string;
  readonly targetHint: string;
  readonly targetNeeded: string;
  readonly targetsFailed: (message: string) => string;
  readonly folderHint: string;
}

export const TEXTS: Readonly<Record<WorkloadKind, WorkloadTexts>> = {
  outlook: {
    icon: 'mail',
    page: t.outlook,
    title: t.titleOutlook,
    noPoints: t.noPointsOutlook,
    search: t.searchOutlook,
    objects: treeMessages.mailboxes,
    searchObjects: (count) =>
      count === null
        ? treeMessages.searchMailboxesUnknown
        : treeMessages.searchMailboxes({ count }),
    noObjects: treeMessages.noMailboxes,
    choose: itemMessages.choose,
    chooseHint: itemMessages.chooseHint,
    restoreObject: itemMessages.restoreMailbox,
    titleObject: (name) => restoreTaskMessages.titleMailbox({ name }),
    other: {
      targetsCall: 'listOrganizationUsers',
      otherPlace: restoreTaskMessages.otherMailbox,
      target: restoreTaskMessages.user,
      targetHint: restoreTaskMessages.userHint,
      targetNeeded: restoreTaskMessages.userNeeded,
      targetsFailed: (message) => restoreTaskMessages.usersFailed({ message }),
      folderHint: restoreTaskMessages.folderHint,
    },
  },
  onedrive: {
    icon: 'cloud',
    page: t.onedrive,
    title: t.titleOnedrive,
    noPoints: t.noPointsOnedrive,
    search: t.searchOnedrive,
    objects: treeMessages.drives,
    searchObjects: (count) =>
      count === null ? treeMessages.searchDrivesUnknown : treeMessages.searchDrives({ count }),
    noObjects: treeMessages.noDrives,
    choose: itemMessages.chooseDrive,
    chooseHint: itemMessages.chooseDriveHint,
    restoreObject: itemMessages.restoreDrive,
    titleObject: (name) => restoreTaskMessages.titleDrive({ name }),
    other: {
      targetsCall: 'listOrganizationUsers',
      otherPlace: restoreTaskMessages.otherDrive,
      target: restoreTaskMessages.user,
      targetHint: restoreTaskMessages.userHint,
      targetNeeded: restoreTaskMessages.userNeeded,
      targetsFailed: (message) => restoreTaskMessages.usersFailed({ message }),
      folderHint: restoreTaskMessages.folderHint,
    },
  },
  sharepoint: {
    icon: 'companies',
    page: t.sharepoint,
    title: t.titleSharepoint,
    noPoints: t.noPointsSharepoint,
    search: t.searchSharepoint,
    objects: treeMessages.sites,
    searchObjects: (count) =>
      count === null ? treeMessages.searchSitesUnknown : treeMessages.searchSites({ count }),
    noObjects: treeMessages.noSites,
    choose: itemMessages.chooseSite,
    chooseHint: itemMessages.chooseSiteHint,
    restoreObject: itemMessages.restoreSite,
    titleObject: (name) => restoreTaskMessages.titleSite({ name }),
    other: {
      targetsCall: 'listOrganizationSites',
      otherPlace: restoreTaskMessages.otherSite,
      target: restoreTaskMessages.site,
      targetHint: restoreTaskMessages.siteHint,
      targetNeeded: restoreTaskMessages.siteNeeded,
      targetsFailed: (message) => restoreTaskMessages.sitesFailed({ message }),
      folderHint: restoreTaskMessages.siteFolderHint,
    },
  },
  teams: {
    icon: 'users',
    page: t.teams,
    title: t.titleTeams,
    noPoints: t.noPointsTeams,
    search: t.searchTeams,
    objects: treeMessages.teams,
    searchObjects: (count) =>
      count === null ? treeMessages.searchTeamsUnknown : treeMessages.searchTeams({ count }),
    noObjects: treeMessages.noTeams,
    choose: itemMessages.chooseTeam,
    chooseHint: itemMessages.chooseTeamHint,
    restoreObject: itemMessages.restoreTeam,
    titleObject: (name) => restoreTaskMessages.titleTeam({ name }),
    other: null,
  },
};
