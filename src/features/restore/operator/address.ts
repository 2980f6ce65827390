const CONSOLE_PATH = '/restore';

export const SERVICES = ['outlook', 'onedrive', 'sharepoint', 'teams'] as const;
export type Service = (typeof SERVICES)[number];

export const getServicePath = (service: Service): string => `${CONSOLE_PATH}/${service}`;
