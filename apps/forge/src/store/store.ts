import { Checks } from './checks.ts';
import { Database } from './database.ts';
import { Deliveries } from './deliveries.ts';
import { Issues } from './issues.ts';
import { KnownRefs } from './known-refs.ts';
import { Labels } from './labels.ts';
import { Protections } from './protections.ts';
import { Pulls } from './pulls.ts';
import { Repositories } from './repositories.ts';
import { Reviews } from './reviews.ts';
import { Users } from './users.ts';

export class Store {
  readonly db: Database;
  readonly users: Users;
  readonly repositories: Repositories;
  readonly refs: KnownRefs;
  readonly issues: Issues;
  readonly labels: Labels;
  readonly pulls: Pulls;
  readonly reviews: Reviews;
  readonly checks: Checks;
  readonly deliveries: Deliveries;
  readonly protections: Protections;

  constructor(file: string, now: () => Date) {
    this.db = new Database(file);
    this.users = new Users(this.db, now);
    this.repositories = new Repositories(this.db, now);
    this.refs = new KnownRefs(this.db);
    this.issues = new Issues(this.db, now);
    this.labels = new Labels(this.db);
    this.pulls = new Pulls(this.db);
    this.reviews = new Reviews(this.db, now);
    this.checks = new Checks(this.db);
    this.deliveries = new Deliveries(this.db);
    this.protections = new Protections(this.db);
  }
}
