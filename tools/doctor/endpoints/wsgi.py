"""A webhook endpoint as a WSGI application on waitress. FLAW selects its mistake. Without FLAW, it is correct."""
import base64, hmac, http, json, os, re, threading, time, uuid
import waitress

FLAW = os.environ.get('FLAW')
KEYS = [base64.b64decode(os.environ[name].removeprefix('whsec_')) for name in ('SECRET', 'PREVIOUS_SECRET')]
MAX_BYTES = 1_048_576
lock, seen = threading.Lock(), set()


def read_time(text):
    if FLAW == 'float':
        return float(text)  # also reads 1.7e9, and nan, which is never too old
    if FLAW == 'milliseconds' and re.fullmatch('[0-9]{13}', text):
        return int(text) / 1000
    if not re.fullmatch('[0-9]{1,12}', text):
        raise ValueError('not a time')
    return int(text)


def find_problem(identity, timestamp, header, body):
    """Returns the reason why a delivery is not genuine, or None."""
    if not identity or abs(time.time() - read_time(timestamp)) > 300:
        return 'the time is wrong'
    if FLAW == 'serializes':
        body = json.dumps(json.loads(body), separators=(',', ':'), ensure_ascii=False).encode()
    digests = [hmac.digest(key, f'{identity}.{timestamp}.'.encode('latin-1') + body, 'sha256') for key in KEYS]
    expected = ['v1,' + base64.b64encode(digest).decode() for digest in digests]
    if any(hmac.compare_digest(given.encode(), each.encode()) for given in header.split() for each in expected):
        return None
    return f'expected {digests[0].hex()}' if FLAW == 'prints digest' else 'the signature is wrong'


def remember(identity):
    """Returns whether the id appears for the first time."""
    if FLAW == 'short ids':
        identity = identity[:24]
    identity = identity.lower() if FLAW == 'case-blind ids' else identity  # as the collation of many databases does
    with lock:
        is_new = identity not in seen
        seen.add(identity)
        return is_new


def handle(event):
    if FLAW == 'UUIDs' and 'callId' in event:
        uuid.UUID(event['callId'])
    if FLAW == '64 characters' and len(event.get('callId', '')) > 64:
        raise ValueError('too long for the column')
    if FLAW == 'pattern' and not re.fullmatch(r'[\w-]*', event.get('groupId') or '', re.ASCII):
        raise ValueError('not an id')
    if event.get('event') == 'CALL_AI_SUMMARY':
        if FLAW == 'UTC' and not event['callStartedAt'].endswith('Z'):
            raise ValueError('not a time')
        with open(os.environ['EFFECTS'], 'a') as effects:
            recap = event['summary']['recap']
            recap = recap.encode('ascii', 'replace').decode() if FLAW == 'ASCII' else recap
            effects.write(f"{event['callId']} {recap!r}\n")


def receive(environ):
    if environ['REQUEST_METHOD'] != 'POST':
        return 405, ''
    length = int(environ.get('CONTENT_LENGTH') or 0)
    if length > MAX_BYTES:
        return 413, ''
    body = environ['wsgi.input'].read(length)
    values = [environ.get(f'HTTP_WEBHOOK_{name}', '') for name in ('ID', 'TIMESTAMP', 'SIGNATURE')]
    try:
        problem = find_problem(*values, body)
    except ValueError as error:
        problem = str(error)
    if problem:
        return 401, problem
    try:
        event = json.loads(body.decode('latin-1' if FLAW == 'latin-1' else 'utf-8'))
        if not isinstance(event, dict):
            return 400, 'not an event'
        if remember(event.get('callId', values[0]) if FLAW == 'one event' else values[0]):
            handle(event)
        return 200, ''
    except (ValueError, KeyError, TypeError, RecursionError):
        return 400, 'not an event'


def application(environ, start_response):
    status, text = receive(environ)
    start_response(f'{status} {http.HTTPStatus(status).phrase}', [('content-length', str(len(text)))])
    return [text.encode()]


if __name__ == '__main__':
    waitress.serve(application, host='127.0.0.1', port=int(os.environ['PORT']))
