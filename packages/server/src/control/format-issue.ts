import type { Issue } from '@wabakit/contract'

/** Formats an issue as a sentence that names the field once. */
export const formatIssue = ({ path, message }: Issue): string =>
  path === '' || message.startsWith(`${path} `) ? message : `${path}: ${message}`
