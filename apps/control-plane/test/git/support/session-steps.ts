/** A session's steps, which record their events as its Durable Object does. */
import { afterAll, beforeAll } from 'vitest';
import { deliverTurn, prepareRepository } from '../../../src/git/index.ts';
import { newWorld, type TestSession, turn, type World } from './world.ts';

export async function started(session: TestSession): Promise<TestSession> {
  session.record(await prepareRepository(session.deps));
  return session;
}

export async function deliver(session: TestSession, facts = turn()) {
  const delivery = await deliverTurn(session.deps, facts);
  return { ...delivery, types: session.record(delivery.events) };
}

/** Starts one forge for all tests of a file. */
export function sharedWorld(): World {
  const world = {} as World;
  beforeAll(async () => {
    Object.assign(world, await newWorld());
  }, 60_000);
  afterAll(() => world.close());
  return world;
}
