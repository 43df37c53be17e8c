import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { anInstallation, type Server } from '../support/process.ts';
import { aVisitor, type Visitor } from './browser.ts';

type Body = (things: Visitor & { readonly server: Server }) => Promise<void>;

/** Tests with a server and a visitor of their own, in which nothing happened that no page may do. */
export const visitsIn =
  (browser: Browser) =>
  (name: string, body: Body, options: BrowserContextOptions = {}) =>
    test(name, async () => {
      const server = await anInstallation().start();
      const visitor = await aVisitor(browser, server.url, options);
      await body({ ...visitor, server });
      assert.deepEqual(visitor.complaints, []);
      await visitor.leave();
    });
