/** The thread that talks to an IMAP server. What it gets comes from strangers (G67). */
import { workerData } from 'node:worker_threads';
import { answerSteps } from '../answer-steps.ts';
import { type ImapTask, readImapMailbox } from './read-imap-mailbox.ts';

answerSteps(Promise.resolve(readImapMailbox(workerData as ImapTask)));
