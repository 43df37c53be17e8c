/** The thread of `loadLeakedPasswords`. */
import { parentPort } from 'node:worker_threads';
import { dictionary } from '@zxcvbn-ts/language-common';

/** Of the 49,000 passwords that leak most often, those that can be all but three characters of a password of 12. */
const passwords = (dictionary['passwords-common'] as string[]).filter((password) => password.length >= 9);
parentPort?.postMessage(passwords);
