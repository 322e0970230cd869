import { buildSchema } from 'graphql';

/** The part of GitHub's schema that REST lacks (draft and ready), and the fields that its clients request with it. */
export const schema = buildSchema(`
  scalar URI
  scalar DateTime
  scalar GitObjectID

  interface Node { id: ID! }
  interface Actor { login: String! url: URI! }

  enum PullRequestState { OPEN CLOSED MERGED }
  enum MergeableState { MERGEABLE CONFLICTING UNKNOWN }

  type User implements Node & Actor { id: ID! login: String! name: String databaseId: Int url: URI! }
  type Ref { name: String! }
  type Repository implements Node {
    id: ID!
    databaseId: Int
    name: String!
    nameWithOwner: String!
    isPrivate: Boolean!
    isArchived: Boolean!
    url: URI!
    defaultBranchRef: Ref
    pullRequest(number: Int!): PullRequest
    pullRequests(first: Int, states: [PullRequestState!], headRefName: String, baseRefName: String): PullRequestConnection!
  }
  type PullRequestConnection { nodes: [PullRequest] totalCount: Int! }
  type PullRequest implements Node {
    id: ID!
    databaseId: Int
    number: Int!
    title: String!
    body: String!
    url: URI!
    state: PullRequestState!
    isDraft: Boolean!
    merged: Boolean!
    closed: Boolean!
    mergeable: MergeableState!
    headRefName: String!
    headRefOid: GitObjectID!
    baseRefName: String!
    baseRefOid: GitObjectID!
    createdAt: DateTime!
    updatedAt: DateTime!
    mergedAt: DateTime
    closedAt: DateTime
    author: Actor
    repository: Repository!
  }
  type RateLimit { limit: Int! remaining: Int! used: Int! resetAt: DateTime! cost: Int! }

  type Query {
    viewer: User!
    node(id: ID!): Node
    repository(owner: String!, name: String!): Repository
    rateLimit: RateLimit
  }

  input MarkPullRequestReadyForReviewInput { pullRequestId: ID! clientMutationId: String }
  input ConvertPullRequestToDraftInput { pullRequestId: ID! clientMutationId: String }
  type MarkPullRequestReadyForReviewPayload { clientMutationId: String pullRequest: PullRequest }
  type ConvertPullRequestToDraftPayload { clientMutationId: String pullRequest: PullRequest }

  type Mutation {
    markPullRequestReadyForReview(input: MarkPullRequestReadyForReviewInput!): MarkPullRequestReadyForReviewPayload
    convertPullRequestToDraft(input: ConvertPullRequestToDraftInput!): ConvertPullRequestToDraftPayload
  }
`);
