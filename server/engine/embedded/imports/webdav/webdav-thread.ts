/** The thread that talks to a WebDAV server. What it gets comes from strangers (G67). */
import { workerData } from 'node:worker_threads';
import { answerSteps } from '../answer-steps.ts';
import { readWebdavDrive, type WebdavTask } from './read-webdav-drive.ts';

answerSteps(Promise.resolve(readWebdavDrive(workerData as WebdavTask)));
