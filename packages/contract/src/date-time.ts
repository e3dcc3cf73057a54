/** Matches an ISO 8601 date-time: a calendar, week or ordinal date, in basic or extended format, of any precision. */
export const dateTime: RegExp =
  /^\d{4}(?:-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01])|-?W(?:0[1-9]|[1-4]\d|5[0-3])-?[1-7]|-?[0-3]\d\d)T(?:(?:[01]\d|2[0-3])(?::?[0-5]\d(?::?(?:[0-5]\d|60))?)?(?:[.,]\d+)?|24(?::?00){0,2})(?:Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?$/

/** Matches an ISO 8601 date-time or the empty string. */
export const dateTimeOrEmpty: RegExp = /* @__PURE__ */ (() =>
  new RegExp(`^(?:${dateTime.source.slice(1, -1)})?$`))()
