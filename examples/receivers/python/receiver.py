"""Receives webhooks as a WSGI application."""
import base64, contextlib, hmac, http, json, os, re, sqlite3, time, urllib.parse

def read_texts(*names):
    return [os.environ[name] for name in names if os.environ.get(name)]


TOKENS = [text.encode() for text in read_texts('WEBHOOK_TOKEN', 'WEBHOOK_TOKEN_PREVIOUS')]
HEADER = os.environ.get('WEBHOOK_HEADER')  # if the token is in a header instead of the URL
TEXTS = read_texts('WABAKIT_WEBHOOK_SECRET', 'WABAKIT_WEBHOOK_SECRET_PREVIOUS')
SECRETS = [base64.b64decode(text.removeprefix('whsec_'), validate=True) for text in TEXTS]
if any(len(token) < 16 for token in TOKENS) or any(len(secret) < 24 for secret in SECRETS) or not (TOKENS or SECRETS):
    raise ValueError('Set WEBHOOK_TOKEN to at least 16 bytes, or WABAKIT_WEBHOOK_SECRET to at least 24 bytes in base64.')
with contextlib.closing(sqlite3.connect(os.environ['DATABASE'])) as db:
    db.execute('CREATE TABLE IF NOT EXISTS deliveries (id TEXT PRIMARY KEY, received_at INTEGER NOT NULL)')
    db.execute('CREATE TABLE IF NOT EXISTS summaries (call_id TEXT PRIMARY KEY, recap TEXT NOT NULL)')


def has_token(environ):
    if HEADER:
        given = [environ.get('HTTP_' + HEADER.upper().replace('-', '_'), '').encode('latin-1')]
    else:  # decoded once; "+" stays "+"
        pairs = [pair.partition(b'=') for pair in environ.get('QUERY_STRING', '').encode('latin-1').split(b'&')]
        decode = urllib.parse.unquote_to_bytes
        given = [decode(value) for name, _, value in pairs if decode(name) == b'token']
    scheme = b'Bearer ' if HEADER and HEADER.lower() == 'authorization' else b''
    return len(given) == 1 and any([hmac.compare_digest(given[0], scheme + token) for token in TOKENS])


def is_signed(environ, body):
    webhook_id, timestamp, signatures = (environ.get(f'HTTP_WEBHOOK_{name}', '') for name in ('ID', 'TIMESTAMP', 'SIGNATURE'))
    if not webhook_id or not re.fullmatch('[0-9]{1,12}', timestamp) or abs(time.time() - int(timestamp)) > 300:
        return False
    signed = f'{webhook_id}.{timestamp}.'.encode('latin-1') + body
    expected = [b'v1,' + base64.b64encode(hmac.digest(secret, signed, 'sha256')) for secret in SECRETS]
    given = signatures.encode('latin-1').split()
    return any(hmac.compare_digest(one, other) for one in given for other in expected)


def handle(webhook_id, event):
    with contextlib.closing(sqlite3.connect(os.environ['DATABASE'])) as db, db:  # one transaction
        # Without an id, which is then NULL, a repeated summary is recognized by its call.
        new = db.execute('INSERT OR IGNORE INTO deliveries VALUES (?, ?)', (webhook_id, int(time.time()))).rowcount
        if new and event.get('event') == 'CALL_AI_SUMMARY':
            summary = event['callId'], event['summary']['recap']
            db.execute('INSERT OR IGNORE INTO summaries VALUES (?, ?)', summary)


def receive(environ):
    if environ['REQUEST_METHOD'] != 'POST':
        return 405
    if TOKENS and not has_token(environ):
        return 401
    length = int(environ.get('CONTENT_LENGTH') or 0)
    if length > 1_048_576:
        return 413
    body = environ['wsgi.input'].read(length)
    if not TOKENS and not is_signed(environ, body):
        return 401
    try:
        handle(environ.get('HTTP_WEBHOOK_ID'), json.loads(body.decode()))
        return 200
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, sqlite3.ProgrammingError, sqlite3.InterfaceError):
        return 400  # not an event as documented; any other error is a 500, after which the sender tries again


def application(environ, start_response):
    status = receive(environ)
    start_response(f'{status} {http.HTTPStatus(status).phrase}', [('Content-Length', '0')])
    return []
