import type { Region } from '#contract/engine/engine.ts';

/**
 * The hosts of one Microsoft cloud. `graph` and `login` are origins. Links in responses are followed
 * to `graph` and to `content` only (G70): names of hosts, or of domains if they begin with a dot.
 */
export interface Cloud {
  readonly graph: string;
  readonly login: string;
  readonly content: readonly string[];
}

/** As Microsoft publishes them: learn.microsoft.com/graph/deployments and the endpoints of Office. */
export const CLOUDS: Readonly<Record<Region, Cloud>> = {
  Worldwide: {
    graph: 'https://graph.microsoft.com',
    login: 'https://login.microsoftonline.com',
    content: ['.sharepoint.com', 'outlook.office365.com', 'outlook.office.com'],
  },
  USGovernmentGCCHigh: {
    graph: 'https://graph.microsoft.us',
    login: 'https://login.microsoftonline.us',
    content: ['.sharepoint.us', 'outlook.office365.us'],
  },
  USGovernmentDoD: {
    graph: 'https://dod-graph.microsoft.us',
    login: 'https://login.microsoftonline.us',
    content: ['.sharepoint-mil.us', '.dps.mil', 'outlook-dod.office365.us', 'webmail.apps.mil'],
  },
  China: {
    graph: 'https://microsoftgraph.chinacloudapi.cn',
    login: 'https://login.chinacloudapi.cn',
    content: ['.sharepoint.cn', 'partner.outlook.cn'],
  },
};

/** What paths of Graph begin with. */
export const GRAPH_VERSION = '/v1.0';

/** Returns the URL of a path or of a link in a response; null if it isn't Graph's own. */
export function graphUrl(cloud: Cloud, pathOrLink: string): URL | null {
  const isPath = pathOrLink.startsWith('/');
  const url = parseUrl(isPath ? `${cloud.graph}${GRAPH_VERSION}${pathOrLink}` : pathOrLink);
  return url?.origin === cloud.graph && url.pathname.startsWith(`${GRAPH_VERSION}/`) ? url : null;
}

/** Returns the URL of a link to content; null if its host isn't one of the cloud's. */
export function contentUrl(cloud: Cloud, link: string): URL | null {
  const url = parseUrl(link);
  if (url?.protocol !== 'https:' || url.port !== '') return null;
  return isCloudHostValue(cloud.content, url.hostname) ? url : null;
}

/** Returns whether a server may connect to the host for this cloud. */
export const isCloudHost = (cloud: Cloud, host: string): boolean =>
  host === new URL(cloud.graph).hostname ||
  host === new URL(cloud.login).hostname ||
  isCloudHostValue(cloud.content, host);

const isCloudHostValue = (hosts: readonly string[], name: string): boolean =>
  hosts.some((host) => (host.startsWith('.') ? name.endsWith(host) : name === host));

function parseUrl(link: string): URL | null {
  const url = URL.canParse(link) ? new URL(link) : null;
  return url === null || url.username !== '' || url.password !== '' ? null : url;
}
