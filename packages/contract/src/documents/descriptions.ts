// Written from the doc comments of the sources by doc-comments.test.ts; "vitest run packages/contract -u" writes it again.
// biome-ignore-all format: written by a program

/** What each schema, each of its fields, and each error code means. */
export const descriptions: {
  readonly [name: string]: { readonly description: string; readonly fields: { readonly [field: string]: string } }
} = {
  "CallAcceptedEvent": {
    "description": "The call was answered.",
    "fields": {
      "agentNumber": "Phone number of the team member who handled or started the call. It can change: for display only.",
      "callDirection": "`INCOMING`: customer to business. `OUTGOING`: business to customer.",
      "callEndedAt": "When the call ended, ISO 8601.",
      "callId": "The call's identifier, the same in every event of the call.",
      "callStartedAt": "When the conversation began, ISO 8601.",
      "callStatus": "`INITIATED`, `IN_PROGRESS` or `END`; services know further ones.",
      "callType": "Who handled the call: `AI_BOT`, or `AGENT` for a team member.",
      "channel": "The network the call went through.",
      "channelNumber": "The same value as `from`.",
      "chatId": "The service's id of the chat.",
      "chatMessageId": "The service's id of the call's message in the chat.",
      "customerId": "The service's id of the customer.",
      "customerName": "The customer's name.",
      "customerNumber": "The same value as `to`.",
      "deviceId": "The device that took the call.",
      "durationInSeconds": "Duration of the call in seconds.",
      "endedBy": "Who ended the call.",
      "event": "The event's name.",
      "failedReason": "Why the call failed.",
      "from": "The organization's number, in both directions.",
      "pickedBy": "Who picked up.",
      "recordingUrl": "Where the recording is.",
      "rejectedBy": "Who rejected the call.",
      "to": "The customer's phone number, in both directions.",
      "triggeredVia": "What started the call: the customer (`INBOUND`), a `CAMPAIGN`, the public `API`, or the vendor's app (`UI`).",
      "wabaNumber": "The WhatsApp Business number, on a WhatsApp call."
    }
  },
  "CallAiSummaryEvent": {
    "description": "The AI summary of a completed PSTN or WhatsApp call is ready. Sent once per call, after its CALL_ENDED.\n\n`from` equals `channelNumber`, and `to` equals `customerNumber`, in what this project's server emits; parsing does not require it.",
    "fields": {
      "agentNumber": "Phone number of the team member who handled or started the call; absent, never empty, when nobody did. It can change: for display and audit only, not for matching.",
      "callDirection": "`INCOMING`: customer to business. `OUTGOING`: business to customer.",
      "callEndedAt": "When the call ended, ISO 8601.",
      "callId": "The call's identifier, the same in every event of the call.",
      "callStartedAt": "When the call started, ISO 8601.",
      "callStatus": "The call's status when the event was made; with a summary normally `END`, never `ENDED`.",
      "callType": "Who handled the call: `AI_BOT`, or `AGENT` for a team member.",
      "channel": "The network the call went through.",
      "channelNumber": "The same value as `from`.",
      "customerNumber": "The same value as `to`.",
      "durationInSeconds": "Duration of the call in seconds.",
      "event": "The event's name.",
      "from": "The organization's number, in both directions.",
      "summary": "The summary itself.",
      "to": "The customer's phone number, in both directions.",
      "triggeredVia": "What started the call: the customer (`INBOUND`), a `CAMPAIGN`, the public `API`, or the vendor's app (`UI`)."
    }
  },
  "CallEndedEvent": {
    "description": "The call is over. An unanswered call's `callStartedAt` may be an empty string.",
    "fields": {
      "agentNumber": "Phone number of the team member who handled or started the call. It can change: for display only.",
      "callDirection": "`INCOMING`: customer to business. `OUTGOING`: business to customer.",
      "callEndedAt": "When the call ended, ISO 8601.",
      "callId": "The call's identifier, the same in every event of the call.",
      "callStartedAt": "When the conversation began, ISO 8601.",
      "callStatus": "`INITIATED`, `IN_PROGRESS` or `END`; services know further ones.",
      "callType": "Who handled the call: `AI_BOT`, or `AGENT` for a team member.",
      "channel": "The network the call went through.",
      "channelNumber": "The same value as `from`.",
      "chatId": "The service's id of the chat.",
      "chatMessageId": "The service's id of the call's message in the chat.",
      "customerId": "The service's id of the customer.",
      "customerName": "The customer's name.",
      "customerNumber": "The same value as `to`.",
      "deviceId": "The device that took the call.",
      "durationInSeconds": "Duration of the call in seconds.",
      "endedBy": "Who ended the call.",
      "event": "The event's name.",
      "failedReason": "Why the call failed.",
      "from": "The organization's number, in both directions.",
      "pickedBy": "Who picked up.",
      "recordingUrl": "Where the recording is.",
      "rejectedBy": "Who rejected the call.",
      "to": "The customer's phone number, in both directions.",
      "triggeredVia": "What started the call: the customer (`INBOUND`), a `CAMPAIGN`, the public `API`, or the vendor's app (`UI`).",
      "wabaNumber": "The WhatsApp Business number, on a WhatsApp call."
    }
  },
  "CallIncomingInitiatedEvent": {
    "description": "A customer started a call to the business: the first event of an incoming call.",
    "fields": {
      "agentNumber": "Phone number of the team member who handled or started the call. It can change: for display only.",
      "callDirection": "`INCOMING`: customer to business. `OUTGOING`: business to customer.",
      "callEndedAt": "When the call ended, ISO 8601.",
      "callId": "The call's identifier, the same in every event of the call.",
      "callStartedAt": "When the conversation began, ISO 8601.",
      "callStatus": "`INITIATED`, `IN_PROGRESS` or `END`; services know further ones.",
      "callType": "Who handled the call: `AI_BOT`, or `AGENT` for a team member.",
      "channel": "The network the call went through.",
      "channelNumber": "The same value as `from`.",
      "chatId": "The service's id of the chat.",
      "chatMessageId": "The service's id of the call's message in the chat.",
      "customerId": "The service's id of the customer.",
      "customerName": "The customer's name.",
      "customerNumber": "The same value as `to`.",
      "deviceId": "The device that took the call.",
      "durationInSeconds": "Duration of the call in seconds.",
      "endedBy": "Who ended the call.",
      "event": "The event's name.",
      "failedReason": "Why the call failed.",
      "from": "The organization's number, in both directions.",
      "pickedBy": "Who picked up.",
      "recordingUrl": "Where the recording is.",
      "rejectedBy": "Who rejected the call.",
      "to": "The customer's phone number, in both directions.",
      "triggeredVia": "What started the call: the customer (`INBOUND`), a `CAMPAIGN`, the public `API`, or the vendor's app (`UI`).",
      "wabaNumber": "The WhatsApp Business number, on a WhatsApp call."
    }
  },
  "CallMissedEvent": {
    "description": "The call was missed. Seen on a live service; the reference server never emits it.",
    "fields": {
      "agentNumber": "Phone number of the team member who handled or started the call. It can change: for display only.",
      "callDirection": "`INCOMING`: customer to business. `OUTGOING`: business to customer.",
      "callEndedAt": "When the call ended, ISO 8601.",
      "callId": "The call's identifier, the same in every event of the call.",
      "callStartedAt": "When the conversation began, ISO 8601.",
      "callStatus": "`INITIATED`, `IN_PROGRESS` or `END`; services know further ones.",
      "callType": "Who handled the call: `AI_BOT`, or `AGENT` for a team member.",
      "channel": "The network the call went through.",
      "channelNumber": "The same value as `from`.",
      "chatId": "The service's id of the chat.",
      "chatMessageId": "The service's id of the call's message in the chat.",
      "customerId": "The service's id of the customer.",
      "customerName": "The customer's name.",
      "customerNumber": "The same value as `to`.",
      "deviceId": "The device that took the call.",
      "durationInSeconds": "Duration of the call in seconds.",
      "endedBy": "Who ended the call.",
      "event": "The event's name.",
      "failedReason": "Why the call failed.",
      "from": "The organization's number, in both directions.",
      "isChatAssigned": "Whether a team member is assigned to the chat.",
      "isNewCaller": "Whether the customer calls for the first time.",
      "pickedBy": "Who picked up.",
      "recordingUrl": "Where the recording is.",
      "rejectedBy": "Who rejected the call.",
      "to": "The customer's phone number, in both directions.",
      "triggeredVia": "What started the call: the customer (`INBOUND`), a `CAMPAIGN`, the public `API`, or the vendor's app (`UI`).",
      "wabaNumber": "The WhatsApp Business number, on a WhatsApp call."
    }
  },
  "CallNotPickedEvent": {
    "description": "Nobody picked up; may repeat for one call, WhatsApp only. Seen; the reference server never emits it.",
    "fields": {
      "agentNumber": "Phone number of the team member who handled or started the call. It can change: for display only.",
      "callDirection": "`INCOMING`: customer to business. `OUTGOING`: business to customer.",
      "callEndedAt": "When the call ended, ISO 8601.",
      "callId": "The call's identifier, the same in every event of the call.",
      "callStartedAt": "When the conversation began, ISO 8601.",
      "callStatus": "`INITIATED`, `IN_PROGRESS` or `END`; services know further ones.",
      "callType": "Who handled the call: `AI_BOT`, or `AGENT` for a team member.",
      "channel": "The network the call went through.",
      "channelNumber": "The same value as `from`.",
      "chatId": "The service's id of the chat.",
      "chatMessageId": "The service's id of the call's message in the chat.",
      "customerId": "The service's id of the customer.",
      "customerName": "The customer's name.",
      "customerNumber": "The same value as `to`.",
      "deviceId": "The device that took the call.",
      "durationInSeconds": "Duration of the call in seconds.",
      "endedBy": "Who ended the call.",
      "event": "The event's name.",
      "failedReason": "Why the call failed.",
      "from": "The organization's number, in both directions.",
      "pickedBy": "Who picked up.",
      "recordingUrl": "Where the recording is.",
      "rejectedBy": "Who rejected the call.",
      "to": "The customer's phone number, in both directions.",
      "triggeredVia": "What started the call: the customer (`INBOUND`), a `CAMPAIGN`, the public `API`, or the vendor's app (`UI`).",
      "wabaNumber": "The WhatsApp Business number, on a WhatsApp call."
    }
  },
  "CallOutgoingInitiatedEvent": {
    "description": "The business started a call to a customer: the first event of an outgoing call.",
    "fields": {
      "agentNumber": "Phone number of the team member who handled or started the call. It can change: for display only.",
      "callDirection": "`INCOMING`: customer to business. `OUTGOING`: business to customer.",
      "callEndedAt": "When the call ended, ISO 8601.",
      "callId": "The call's identifier, the same in every event of the call.",
      "callStartedAt": "When the conversation began, ISO 8601.",
      "callStatus": "`INITIATED`, `IN_PROGRESS` or `END`; services know further ones.",
      "callType": "Who handled the call: `AI_BOT`, or `AGENT` for a team member.",
      "channel": "The network the call went through.",
      "channelNumber": "The same value as `from`.",
      "chatId": "The service's id of the chat.",
      "chatMessageId": "The service's id of the call's message in the chat.",
      "customerId": "The service's id of the customer.",
      "customerName": "The customer's name.",
      "customerNumber": "The same value as `to`.",
      "deviceId": "The device that took the call.",
      "durationInSeconds": "Duration of the call in seconds.",
      "endedBy": "Who ended the call.",
      "event": "The event's name.",
      "failedReason": "Why the call failed.",
      "from": "The organization's number, in both directions.",
      "pickedBy": "Who picked up.",
      "recordingUrl": "Where the recording is.",
      "rejectedBy": "Who rejected the call.",
      "to": "The customer's phone number, in both directions.",
      "triggeredVia": "What started the call: the customer (`INBOUND`), a `CAMPAIGN`, the public `API`, or the vendor's app (`UI`).",
      "wabaNumber": "The WhatsApp Business number, on a WhatsApp call."
    }
  },
  "CallRejectedEvent": {
    "description": "The call was rejected. Seen on a live service; the reference server never emits it.",
    "fields": {
      "agentNumber": "Phone number of the team member who handled or started the call. It can change: for display only.",
      "callDirection": "`INCOMING`: customer to business. `OUTGOING`: business to customer.",
      "callEndedAt": "When the call ended, ISO 8601.",
      "callId": "The call's identifier, the same in every event of the call.",
      "callStartedAt": "When the conversation began, ISO 8601.",
      "callStatus": "`INITIATED`, `IN_PROGRESS` or `END`; services know further ones.",
      "callType": "Who handled the call: `AI_BOT`, or `AGENT` for a team member.",
      "channel": "The network the call went through.",
      "channelNumber": "The same value as `from`.",
      "chatId": "The service's id of the chat.",
      "chatMessageId": "The service's id of the call's message in the chat.",
      "customerId": "The service's id of the customer.",
      "customerName": "The customer's name.",
      "customerNumber": "The same value as `to`.",
      "deviceId": "The device that took the call.",
      "durationInSeconds": "Duration of the call in seconds.",
      "endedBy": "Who ended the call.",
      "event": "The event's name.",
      "failedReason": "Why the call failed.",
      "from": "The organization's number, in both directions.",
      "pickedBy": "Who picked up.",
      "recordingUrl": "Where the recording is.",
      "rejectedBy": "Who rejected the call.",
      "to": "The customer's phone number, in both directions.",
      "triggeredVia": "What started the call: the customer (`INBOUND`), a `CAMPAIGN`, the public `API`, or the vendor's app (`UI`).",
      "wabaNumber": "The WhatsApp Business number, on a WhatsApp call."
    }
  },
  "CallSummary": {
    "description": "The AI summary of a call.",
    "fields": {
      "keyPoints": "Key points discussed.",
      "nextSteps": "Follow-ups mentioned.",
      "recap": "Short summary of the call."
    }
  },
  "CreateGroupRequest": {
    "description": "Body of `POST /whatsapp/wa-group/create`. Texts must be well-formed Unicode without NUL; their lengths count code points. Unknown fields are ignored.",
    "fields": {
      "description": "The group's description: at most 2048 characters.",
      "groupId": "Your own id for the group, 1 to 50 characters; generated when omitted. Responses and webhooks carry it.",
      "joinApprovalMode": "The join request policy; the default of the number's integration when omitted.",
      "subject": "The group's name: 1 to 128 characters.",
      "wabaNumber": "WABA number on which the group is created, compared by its digits. Not empty."
    }
  },
  "CreateGroupResponse": {
    "description": "Body of a successful create.",
    "fields": {
      "groupId": "The group's id: the supplied one, or the generated one. It joins this response to the group's webhooks.",
      "success": "Always true."
    }
  },
  "ErrorBody": {
    "description": "Body of every answer of the reference server that is not a success; also of 202 (`summary_pending`).",
    "fields": {
      "code": "From the closed list of error codes; for programs.",
      "error": "The status's reason phrase, such as `Bad Request`.",
      "issues": "What is wrong with which field, when fields are at fault.",
      "message": "A sentence for people.",
      "statusCode": "The HTTP status."
    }
  },
  "GroupCreatedEvent": {
    "description": "A group was created through the create endpoint.",
    "fields": {
      "event": "The event's name.",
      "groupCreatedAt": "When the group was created, ISO 8601.",
      "groupId": "The group's id: the `groupId` of the create response.",
      "groupName": "The group's name.",
      "integrationId": "The service's id of the integration.",
      "inviteLink": "Lets anyone who has it join: treat it as a credential.",
      "orgId": "The service's id of the organization."
    }
  },
  "GroupParticipantJoinedEvent": {
    "description": "A participant joined the group.",
    "fields": {
      "customerPhone": "The participant's phone number.",
      "event": "The event's name.",
      "groupId": "The group's id: the `groupId` of the create response.",
      "groupName": "The group's name.",
      "integrationId": "The service's id of the integration.",
      "orgId": "The service's id of the organization.",
      "participantJoinedAt": "When the participant joined, ISO 8601."
    }
  },
  "GroupParticipantLeftEvent": {
    "description": "A participant left the group.",
    "fields": {
      "customerPhone": "The participant's phone number.",
      "event": "The event's name.",
      "groupId": "The group's id: the `groupId` of the create response.",
      "groupName": "The group's name.",
      "integrationId": "The service's id of the integration.",
      "orgId": "The service's id of the organization.",
      "participantLeftAt": "When the participant left, ISO 8601."
    }
  },
  "GroupParticipantRemovedEvent": {
    "description": "A participant was removed from the group.",
    "fields": {
      "customerPhone": "The participant's phone number.",
      "event": "The event's name.",
      "groupId": "The group's id: the `groupId` of the create response.",
      "groupName": "The group's name.",
      "integrationId": "The service's id of the integration.",
      "orgId": "The service's id of the organization.",
      "participantRemovedAt": "When the participant was removed, ISO 8601."
    }
  },
  "Issue": {
    "description": "One thing wrong with an input.",
    "fields": {
      "message": "What is wrong with it, as a sentence that can stand alone.",
      "path": "The field, with dots: `summary.keyPoints.0`; empty for the whole input."
    }
  },
  "ReceivedErrorBody": {
    "description": "An error body as any server of this interface may send it: every field may be missing, `message` may be an array of sentences, and `code` may come from another list. Fields that do not fit are dropped, never an error.",
    "fields": {
      "code": "For programs; from the closed list when the server is of this project.",
      "error": "The status's reason phrase.",
      "issues": "What is wrong with which field.",
      "message": "A sentence for people, or several.",
      "statusCode": "The HTTP status."
    }
  },
  "SummaryRecord": {
    "description": "What `GET /v1/call/ai-summary` answers: the CALL_AI_SUMMARY payload without `event`. From another service than this project's server only `callId` and `summary` are sure, because the body is not published.",
    "fields": {
      "agentNumber": "Phone number of the team member who handled or started the call. It can change: for display only.",
      "callDirection": "`INCOMING`: customer to business. `OUTGOING`: business to customer.",
      "callEndedAt": "When the call ended, ISO 8601.",
      "callId": "The call's identifier, the same in every event of the call.",
      "callStartedAt": "When the conversation began, ISO 8601.",
      "callStatus": "`INITIATED`, `IN_PROGRESS` or `END`; services know further ones.",
      "callType": "Who handled the call: `AI_BOT`, or `AGENT` for a team member.",
      "channel": "The network the call went through.",
      "channelNumber": "The same value as `from`.",
      "customerNumber": "The same value as `to`.",
      "durationInSeconds": "Duration of the call in seconds.",
      "from": "The organization's number, in both directions.",
      "summary": "The summary itself.",
      "to": "The customer's phone number, in both directions.",
      "triggeredVia": "What started the call: the customer (`INBOUND`), a `CAMPAIGN`, the public `API`, or the vendor's app (`UI`)."
    }
  },
  "errorCodes": {
    "description": "Every `code` an error body of this interface may carry, with its HTTP status. The list is closed: a code that is not here comes from another server. Each comment says what the code means, then what to do about it.",
    "fields": {
      "body_too_large": "The request body is larger than 64 KiB.\n\nSend less: the longest legal request is far below the limit.",
      "group_id_conflict": "The `groupId` already belongs to a group that was created by a different request.\n\nChoose another `groupId`; to repeat a request safely, send exactly the same one.",
      "integration_disabled": "The number's integration is disabled.\n\nEnable the integration, then repeat the request.",
      "integration_not_found": "`wabaNumber` belongs to no integration of the caller's organization.\n\nCheck the number, and that the key is one of the organization that owns it.",
      "internal_error": "The server failed.\n\nReport it with the `x-request-id` of the response.",
      "invalid_api_key": "The Public API key is not a valid one.\n\nCheck the key for a typing error, and that it has not been revoked.",
      "invalid_body": "The request body is JSON, but not an object.\n\nSend one JSON object.",
      "invalid_call_id": "`callId` is missing or empty, has more than 255 characters, or contains control characters.\n\nSend the `callId` of the call's webhooks as the query parameter.",
      "invalid_description": "`description` is longer than 2048 characters, or not text.\n\nShorten it to at most 2048 characters (Unicode code points), or leave it out.",
      "invalid_group_id": "`groupId` is empty, longer than 50 characters, or not text.\n\nSend 1 to 50 characters (Unicode code points), or leave it out to get a generated one.",
      "invalid_join_approval_mode": "`joinApprovalMode` is neither `auto_approve` nor `approval_required`.\n\nSend one of the two, or leave it out to get the default of the number's integration.",
      "invalid_subject": "`subject` is missing, empty, longer than 128 characters, or not text.\n\nSend a group name of 1 to 128 characters (Unicode code points).",
      "invalid_waba_number": "`wabaNumber` is missing, empty, or not text.\n\nSend the WABA number on which the group is to be created.",
      "malformed_json": "The request body is not JSON.\n\nSend JSON in UTF-8, as a JSON serializer writes it.",
      "method_not_allowed": "The path exists, but not with this method.\n\nUse the method in the `Allow` header.",
      "missing_api_key": "The request carries no Public API key.\n\nSend the key in the header that the service reads.",
      "rate_limited": "Too many requests by this organization, key or IP address.\n\nWait for the seconds in `Retry-After`, then repeat the request.",
      "route_not_found": "There is no such path.\n\nCheck the base URL: the paths of the endpoints are appended to it.",
      "storage_unavailable": "The store cannot be reached. Nothing was changed.\n\nRepeat the request after the seconds in `Retry-After`.",
      "summary_not_found": "The call is unknown to the caller's organization or outside the key's permission, or has no summary yet although summaries are not made automatically.\n\nCheck the `callId` and the key; for a summary that a team member has to ask for, wait for CALL_AI_SUMMARY.",
      "summary_pending": "The call is going on, or its summary is still being made.\n\nAsk again after the seconds in `Retry-After`, or wait for CALL_AI_SUMMARY.",
      "summary_unavailable": "The call can never have a summary: it was missed or rejected, has no recording, or nothing was said.\n\nDo not ask again for this call.",
      "unsupported_media_type": "The request body is not `application/json`, or its charset is not UTF-8.\n\nSend `Content-Type: application/json`.",
      "waba_number_not_permitted": "The Public API key has no permission for this WABA number.\n\nUse a key that may use the number, or extend this one's permission."
    }
  }
}
