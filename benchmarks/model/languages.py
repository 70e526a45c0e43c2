# ruff: noqa: E501
"""Requests as people type them over one repository: other languages, typos, error messages, other naming styles.

    languages.py --clone DIR     (a clone of pallets/flask, any commit since 2.3)

Each request wants a file; the score is the mean reciprocal rank of that file's best definition under src/, by vectors alone.
`asked` is what `encode_query` does: foreign terms put into English, typing errors mended (ctxkit.embedding.terms, .typos).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from ctxkit.embedding import load
from ctxkit.embedding.text import passage
from ctxkit.repo import blobs, find, resolve, tree
from ctxkit.slicing import readable, slice_file

FILES = [
    'sessions',
    'config',
    'blueprints',
    'templating',
    'provider',
    'cli',
    'testing',
    'logging',
    'views',
    'globals|ctx',
]
REQUESTS = {
    'english': [
        'how is the session signed and stored in a cookie',
        'load the configuration from a file',
        'register a blueprint',
        'render a template',
        'convert an object to json',
        'run the server from the command line',
        'send a request with the test client',
        'create the logger',
        'dispatch a request to the method of a view class',
        'the current application and request context',
    ],
    'italian': [
        'come viene firmata e salvata la sessione nel cookie',
        'caricare la configurazione da un file',
        'registrazione di un blueprint',
        'visualizzare un template con le variabili',
        'conversione di un oggetto in json',
        'avviare il server da riga di comando',
        'inviare una richiesta con il client di test',
        'creazione del logger per il registro',
        'come la richiesta arriva al metodo della classe di una vista',
        'il contesto della richiesta e della applicazione',
    ],
    'german': [
        'wie wird die Sitzung signiert und im Cookie gespeichert',
        'die Konfiguration aus einer Datei laden',
        'wie wird ein Blueprint registriert',
        'eine Vorlage mit Variablen darstellen',
        'ein Objekt in json umwandeln',
        'den Server von der Kommandozeile starten',
        'eine Anfrage mit dem Test-Client senden',
        'wie wird das Protokoll (Logger) erstellt',
        'wie wird die Anfrage an die Methode der View-Klasse gegeben',
        'der Kontext der Anfrage und der Anwendung',
    ],
    'spanish': [
        'cómo se firma y se guarda la sesión en la cookie',
        'cargar la configuración desde un archivo',
        'cómo se registra un blueprint',
        'mostrar una plantilla con las variables',
        'convertir un objeto en json',
        'iniciar el servidor desde la línea de comandos',
        'enviar una petición con el cliente de prueba',
        'creación del registro (logger)',
        'cómo llega la solicitud al método de la clase de una vista',
        'el contexto de la petición y de la aplicación',
    ],
    'french': [
        'comment la session est signée et enregistrée dans le cookie',
        'charger la configuration depuis un fichier',
        'comment un blueprint est enregistré',
        'afficher un template avec les variables',
        'convertir un objet en json',
        'démarrer le serveur en ligne de commande',
        'envoyer une requête avec le client de test',
        'création du journal (logger)',
        'comment la requête arrive à la méthode de la classe de la vue',
        'le contexte de la requête et de l application',
    ],
    'russian': [
        'как подписывается и сохраняется сессия в cookie',
        'загрузка конфигурации из файла',
        'как регистрируется blueprint',
        'рендеринг шаблона с переменными',
        'преобразование объекта в json',
        'запуск сервера из командной строки',
        'отправить запрос тестовым клиентом',
        'создание логгера',
        'как запрос попадает в метод класса представления (view)',
        'контекст запроса и приложения',
    ],
    'chinese': [
        '会话如何签名并保存到 cookie',
        '从文件加载配置',
        '如何注册 blueprint',
        '渲染模板和变量',
        '把对象转换为 json',
        '从命令行启动服务器',
        '用测试客户端发送请求',
        '创建日志',
        '请求如何分发到视图类的方法 view',
        '请求和应用的上下文 context',
    ],
    'typos': [
        'how is the sesion signd and stored in a cooky',
        'lod the confguration from a file',
        'registr a bluprint',
        'rendr a tempalte',
        'convret an object to jsno',
        'run the sever from the comand line',
        'send a reqest with the test clinet',
        'create the loger',
        'dispach a request to the mehtod of a view clas',
        'the curent aplication and request contxt',
    ],
    'short': [
        'session cookie',
        'config file',
        'blueprint',
        'template',
        'json',
        'cli run',
        'test client',
        'logger',
        'method view',
        'request context',
    ],
    'errors': [
        'The session is unavailable because no secret key was set',
        'Unable to load configuration file (No such file)',
        'The name is already registered for this blueprint',
        'TemplateNotFound: index.html',
        'TypeError: Object of type Decimal is not JSON serializable',
        'Error: Could not locate a Flask application',
        'Cannot nest client invocations',
        'No handlers could be found for logger',
        'Unimplemented method for view',
        'RuntimeError: Working outside of application context',
    ],
    'other style': [
        'SecureCookieSession.openSession',
        'configFromPyfile',
        'RegisterBlueprint',
        'renderTemplateString',
        'DefaultJsonProvider',
        'runCommand',
        'FlaskTestClient',
        'createLogger',
        'MethodView.dispatchRequest',
        'AppContext push',
    ],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--clone', type=Path, required=True)
    parser.add_argument('--model', default='bundled')
    args = parser.parse_args()
    repo = find(args.clone)
    entries = [e for e in tree(repo, resolve(repo)) if e.path.startswith('src/') and e.path.endswith('.py')]
    content = dict(blobs(repo, {e.blob for e in entries}))
    texts, stems = [], []
    for entry in entries:
        source = readable(content[entry.blob] or b'')
        for chunk in slice_file(entry.path, source).chunks:
            if chunk.kind in ('function', 'method', 'class'):
                texts.append(passage(entry.path, chunk, source))
                stems.append(entry.path.rpartition('/')[2][:-3])
    encoder = load(args.model)
    vectors, names = encoder.encode(texts), np.array(stems)
    totals: dict[str, list[float]] = {'plain': [], 'asked': []}
    print(f'{len(texts)} definitions\n| requests | plain | asked |\n|---|---|---|')
    for kind, requests in REQUESTS.items():
        row = []
        for name, encode in (('plain', lambda text: encoder.encode([text])[0]), ('asked', encoder.encode_query)):
            ranks = []
            for file, request in zip(FILES, requests, strict=True):
                scores = vectors @ encode(request)
                wanted = np.isin(names, file.split('|'))
                best = scores[wanted].max()
                ranks.append(1 / (0.5 + (scores > best).sum() + 0.5 * (scores == best).sum()))
            totals[name] += ranks
            row.append(float(np.mean(ranks)))
        print(f'| {kind} | {row[0]:.2f} | {row[1]:.2f} |')
    print(f'| all | {np.mean(totals["plain"]):.3f} | {np.mean(totals["asked"]):.3f} |')


if __name__ == '__main__':
    main()
