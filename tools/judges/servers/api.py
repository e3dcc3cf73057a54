"""A server on Python's http.server that implements the interface. FLAW selects its mistake. Without FLAW, it is correct.

With STYLE=twice, it delivers every event twice with one id, which at-least-once delivery allows. It implements the specification,
not the decisions of this project, and has no control API but what the trial needs: POST /trial/<function> with JSON.
"""
import base64, datetime, hmac, http.client, json, os, re, threading, time, uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse

FLAW, STYLE = os.environ.get('FLAW'), os.environ.get('STYLE')
KEY, OTHER_KEY, SECRET = os.environ['API_KEY'], os.environ['OTHER_KEY'], os.environ['SECRET']
NUMBER, DISABLED, PSTN = os.environ['WABA_NUMBER'], os.environ['DISABLED_NUMBER'], '+15550170004'
MAX_INVALID_KEYS = 100
MODES = (None, 'auto_approve', 'approval_required')
lock, groups, calls, lanes, moves, names, reserved = threading.RLock(), {}, {}, {}, set(), {}, set()
webhook_url, invalid_keys, last_summary = '', 0, None


class Refusal(Exception):
    def __init__(self, status, message, headers={}):
        self.status, self.message, self.headers = status, message, headers


def now():
    hours = {'local time': 2, 'New York': -5}.get(FLAW, 0)
    return datetime.datetime.now(datetime.timezone(datetime.timedelta(hours=hours))).strftime('%Y-%m-%dT%H:%M:%S.%f')[:-3] + 'Z'


# Webhooks


def sign(identity, timestamp, body):
    key = base64.b64decode(SECRET.removeprefix('whsec_'))
    signature = hmac.digest(key, f'{identity}.{timestamp}.'.encode() + body, 'sha256')
    return 'v1,' + base64.b64encode(signature).decode()


def post(path, identity, signature, timestamp, body):
    address = urlparse(webhook_url)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=15)
    headers = {'webhook-id': identity, 'webhook-timestamp': timestamp, 'webhook-signature': signature}
    try:
        connection.request('POST', path, body, {'content-type': 'application/json', **headers})
        return connection.getresponse().status
    except OSError:
        return 0
    finally:
        connection.close()


def deliver(path, event, earlier):
    """Delivers an event after the earlier ones of its call or group."""
    if earlier and FLAW != 'no order':
        earlier.join()
    if FLAW == 'no order' and event['event'] == 'CALL_ENDED':
        time.sleep(0.5)  # waits for the recording
    identity, body = f'msg_{uuid.uuid4().hex}', json.dumps(event).encode()
    timestamp = str(int(time.time()))
    signature = sign(identity, timestamp, body)
    for pause in (2.1, 2, 4, 8, 0):
        if post(path, identity, signature, timestamp, body) in range(200, 300):
            if STYLE == 'twice':
                post(path, identity, signature, timestamp, body)
            return
        time.sleep(pause)
        if FLAW != 'time of the event':
            timestamp = str(int(time.time()))
        if FLAW != 'signs once':
            signature = sign(identity, timestamp, body)


def publish(subject, path, event):
    if not webhook_url:
        return
    with lock:
        lane = threading.Thread(target=deliver, args=(path, event, lanes.get(subject)), daemon=True)
        lanes[subject] = lane
        lane.start()


def publish_group(event, group_id, **fields):
    name = group_id if FLAW == 'id as name' and event != 'GROUP_CREATED' else names.get(group_id, groups[group_id][1])
    publish(group_id, '/whatsapp', {'event': event, 'groupId': group_id, 'groupName': name, **fields})


# The public API


def find_number(text):
    digits = re.sub(r'[\s().+-]', '', text)
    if FLAW == 'end of the number':  # the end of every number is the empty string
        digits = re.sub(r'\D', '', text)
        return next((each for each in (NUMBER, DISABLED) if each.endswith(digits)), None)
    return next((each for each in (NUMBER, DISABLED) if each[1:] == digits), None)


def check_key(headers):
    global invalid_keys
    key = headers.get('authorization', '')
    if key not in (KEY, OTHER_KEY):
        invalid_keys += 1
        if invalid_keys > MAX_INVALID_KEYS:
            raise Refusal(429, 'Too many requests.', {'retry-after': '30'})
        raise Refusal(401, 'The API key is missing or invalid.')
    return key


def is_text(value, shortest, longest):
    return isinstance(value, str) and shortest <= len(value) <= longest


def check_permission(key, number):
    if key == OTHER_KEY:
        raise Refusal(403, 'The key may not use this number.')
    if number == DISABLED:
        raise Refusal(422, 'The integration is disabled.')


def create_group(headers, text):
    key = check_key(headers)
    try:
        body = json.JSONDecoder().raw_decode(text.decode())[0] if FLAW == 'first value' else json.loads(text)
    except ValueError:
        raise Refusal(400, 'The body is not JSON.')
    if not isinstance(body, dict) or not isinstance(body.get('wabaNumber'), str):
        raise Refusal(400, 'wabaNumber is missing.')
    if not is_text(body.get('subject'), 1, 128) or not is_text(body.get('description', ''), 0, 2048):
        raise Refusal(400, 'subject or description is invalid.')
    if body.get('joinApprovalMode') not in MODES or not is_text(body.get('groupId', 'x'), 1, 50):
        raise Refusal(400, 'joinApprovalMode or groupId is invalid.')
    number = find_number(body['wabaNumber'])
    if number is None:
        raise Refusal(400, 'There is no integration for wabaNumber.')
    group_id = body.get('groupId', f'grp-{uuid.uuid4().hex}')
    if FLAW == 'reserves ids' and group_id in reserved:
        raise Refusal(422, 'The group id is in use.')
    if FLAW != 'checks late':
        reserved.add(group_id)  # is removed when the group exists
        check_permission(key, number)
        reserved.discard(group_id)
    group = (number, body['subject'], body.get('description'), body.get('joinApprovalMode'))
    with lock:
        existing = groups.get(group_id)
    if FLAW == 'looks first':
        time.sleep(0.05)  # asks the database
    with lock:
        if FLAW != 'looks first':
            existing = groups.get(group_id)
        groups[group_id] = existing or group
    is_same = existing[1] == group[1] if existing and FLAW == 'subject alone' else existing == group
    if existing and not is_same:
        if FLAW == 'saves first':
            groups[group_id] = group
        if FLAW == 'renames':
            names[group_id] = group[1]
        raise Refusal(422, 'The group id is in use.')
    if not existing and not (FLAW == 'no description' and group[2]):
        publish_group('GROUP_CREATED', group_id, inviteLink=None, groupCreatedAt=now())
    if FLAW == 'checks late':
        check_permission(key, number)
    return 200, {'success': True, 'groupId': group_id}


def fetch_summary(headers, call_id):
    if FLAW == 'short column' and len(call_id) > 200:
        raise ValueError('too long for the column')
    call = calls.get(call_id)
    is_open = FLAW == 'key for WhatsApp' and call and call['channel'] == 'PSTN'
    key = KEY if is_open else check_key(headers)
    if FLAW == 'LIKE' and call_id == '%':
        call = next(iter(calls.values()), None)
    if not call_id:
        raise Refusal(400, 'callId is missing.')
    if call is None or (key == OTHER_KEY and call['channel'] == 'WHATSAPP'):
        raise Refusal(404, 'There is no such call.')
    if call['state'] == 'pending' and FLAW == 'pending is 200':
        return 200, {'callId': call_id, 'status': 'PENDING'}
    if call['state'] == 'pending':
        return 202, {'status': 'PENDING'}, {'retry-after': '1'}
    if call['state'] == 'unavailable':
        raise Refusal(422, 'This call can have no summary.')
    return 200, last_summary if FLAW == 'last summary' else call['summary']


# Calls and groups


def play(options):
    """Makes a call and returns its id when the call is over."""
    global last_summary
    outcome, channel = options['outcome'], options['channel']
    with lock:
        call_id, is_incoming = f'call-{uuid.uuid4().hex}', len(calls) % 2 == 0
        number, customer = NUMBER if channel == 'WHATSAPP' else PSTN, f'+1555018{len(calls):04}'
        calls[call_id] = call = {'channel': channel, 'state': 'pending'}
    common = {
        **{'callId': call_id, 'channel': channel, 'callDirection': 'INCOMING' if is_incoming else 'OUTGOING'},
        **{'from': number, 'to': customer, 'channelNumber': number, 'customerNumber': customer},
        **({'agentNumber': customer if FLAW == 'wrong column' else '+15550170009'} if is_incoming else {}),
        **{'callType': 'AGENT' if is_incoming else 'AI_BOT', 'triggeredVia': 'INBOUND' if is_incoming else 'API'},
    }

    def tell(event, **fields):
        publish(call_id, f'/{channel.lower()}', {'event': event, **common, **fields})

    tell(f"CALL_{common['callDirection']}_INITIATED", callStatus='INITIATED')
    time.sleep(0.2)
    if FLAW == 'answers first':
        tell('CALL_ACCEPTED', callStatus='IN_PROGRESS')
    if outcome in ('missed', 'rejected'):
        call['state'] = 'unavailable'
        if FLAW == 'voice mail' and outcome == 'missed' and channel == 'PSTN':
            times = {'callStartedAt': now(), 'callEndedAt': now(), 'callStatus': 'END', 'durationInSeconds': 0}
            tell('CALL_AI_SUMMARY', **times, summary={'recap': 'A message.', 'keyPoints': [], 'nextSteps': []})
        return {'callId': call_id}
    started = now()
    tell('CALL_ACCEPTED', callStatus='IN_PROGRESS', callStartedAt=started)
    time.sleep(0.2)
    started = now() if FLAW == 'own clock' else started  # when the row of the call was saved
    end = {'callStatus': 'END', 'durationInSeconds': 0.2, 'callStartedAt': started, 'callEndedAt': now()}
    milliseconds = {'durationInSeconds': 200} if FLAW == 'milliseconds' else {}
    tell('CALL_ENDED', **{**end, **milliseconds})
    if outcome != 'answered':
        call['state'] = 'unavailable'
        return {'callId': call_id}
    summary = {'recap': f'Order {call_id} is late.', 'keyPoints': ['Größe 东京'], 'nextSteps': []}
    call['summary'] = last_summary = {**common, **end, 'summary': summary}
    call['state'] = 'summarized'
    tell('CALL_AI_SUMMARY', **end, summary=summary)
    return {'callId': call_id}


def move(options):
    group_id, phone, step = options['groupId'], options['phone'], options['step']
    event = f'GROUP_PARTICIPANT_{step.upper()}'
    if FLAW == 'upserts' and (group_id, phone, step) in moves:
        return {}
    moves.add((group_id, phone, step))
    fields = {'customerPhone': phone, f'participant{step.capitalize()}At': now()}
    if FLAW == 'profile first' and step == 'joined':  # looks the profile up, which takes a while
        threading.Timer(0.7, publish_group, (event, group_id), fields).start()
    else:
        publish_group(event, group_id, **fields)
    return {}


def subscribe(options):
    global webhook_url
    webhook_url = options['url']
    return {}


class Server(BaseHTTPRequestHandler):
    def respond(self, status, body, headers={}):
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {'content-type': 'application/json', 'content-length': str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def handle_request(self):
        target = urlparse(self.path)
        text = self.rfile.read(int(self.headers.get('content-length', 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            if target.path.startswith('/trial/'):
                functions = {'play': play, 'move': move, 'subscribe': subscribe}
                self.respond(200, functions[target.path.split('/')[2]](json.loads(text)))
            elif (self.command, target.path) == ('POST', '/whatsapp/wa-group/create'):
                self.respond(*create_group(headers, text))
            elif target.path == '/v1/call/ai-summary' and (self.command == 'GET' or FLAW == 'any method'):
                self.respond(*fetch_summary(headers, parse_qs(target.query).get('callId', [''])[0]))
            else:
                raise Refusal(404, 'There is nothing here.')
        except Refusal as refusal:
            error = http.client.responses[refusal.status]
            body = {'statusCode': refusal.status, 'error': error, 'message': refusal.message}
            self.respond(refusal.status, body, refusal.headers)

    do_GET = do_POST = handle_request

    def log_message(self, *_):
        pass


class Listener(ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True


Listener(('127.0.0.1', int(os.environ['PORT'])), Server).serve_forever()
