/** The floor's front: bytes from stdin to a socket and back, nothing else. `node pipe.mjs SOCKET` */
import { connect } from 'node:net';

const socket = connect(process.argv[2]);
process.stdin.pipe(socket);
socket.pipe(process.stdout);
socket.on('close', () => process.exit(0));
socket.on('error', () => process.exit(1));
