"""Phrases of agents in seven languages: that they cannot see the code, that something is new, or does not exist."""

from __future__ import annotations

import re

# "I cannot access the latest code": a first person (or an impersonal form), an inability, and the code.
_UNABLE = (
    r"\b(?:i|we)(?:['’]m| am|['’]re| are)? (?:currently )?(?:can(?:no|['’])?t|could(?:n['’]t| not)|do(?:n['’]t|"
    r' not) have|'
    r'have no|lack|unable to|not able to)[^.!?\n]{0,60}\b(?:access|see|read|view|open|look at|inspect|retrieve)\b'
    r'[^.!?\n]{0,60}\b(?:code|codebase|repositor\w*|repo|source|files?|project|changes?|commits?)\b',
    r"\bi (?:do(?:n['’]t| not) have|have no|lack)(?: \w+){0,3} (?:access|visibility)[^.!?\n]{0,60}"
    r'\b(?:code|codebase|repositor\w*|repo|source|files?|project)\b',
    r'\bwithout (?:direct )?access to (?:the|your) (?:latest |current |actual |source )*(?:code|codebase|'
    r'repositor\w*|repo|files?)\b',
    r'\bnon (?:posso|riesco a|sono in grado di|ho (?:modo di )?)\s*(?:accesso|acceder\w*|veder\w*|legger\w*|'
    r'aprir\w*|consultar\w*)'
    r'[^.!?\n]{0,60}\b(?:codice|repository|repo|sorgent\w*|file|progetto|modifiche)\b',
    r'\bnon ho accesso[^.!?\n]{0,40}\b(?:codice|repository|repo|sorgent\w*|file|progetto)\b',
    r'(?:无法|不能|没法|没有办法|没有权限|無法|沒有)[^。！？\n]{0,12}(?:访问|查看|读取|看到|获取|打开|訪問|存取)[^。！？\n]{0,14}'
    r'(?:代码|源码|仓库|文件|项目|程式碼|倉庫)',
    r'\bя (?:не могу|не имею|не в состоянии|не способен)[^.!?\n]{0,30}(?:доступ|получить|посмотреть|увидеть|видеть|'
    r'прочитать|открыть)'
    r'[^.!?\n]{0,50}(?:код|репозитори|исходник|исходн|файл|проект)',
    r'\bу меня нет (?:\w+ ){0,2}доступа[^.!?\n]{0,50}(?:код|репозитори|исходн|файл|проект)',
    r'\bich (?:kann|habe|bin)\b[^.!?\n]{0,80}\b(?:nicht|kein\w*)\b[^.!?\n]{0,60}\b(?:zugreifen|zugriff|sehen|'
    r'einsehen|lesen|öffnen|abrufen)\b',
    r'\bich (?:kann|habe)\b[^.!?\n]{0,60}\b(?:code|quellcode|repository|repo|dateien|'
    r'projekt)\b[^.!?\n]{0,30}\bnicht\b[^.!?\n]{0,20}'
    r'\b(?:zugreifen|sehen|einsehen|lesen|öffnen|abrufen)\b',
    r'\bno (?:puedo|tengo|soy capaz de|me es posible)\b[^.!?\n]{0,30}(?:acceder|acceso|ver\b|leer|abrir|'
    r'consultar)[^.!?\n]{0,50}'
    r'\b(?:código|codigo|repositorio|repo|fuentes?|archivos?|ficheros?|proyecto)\b',
    r"\bje (?:ne (?:peux|suis|parviens)|n['’]ai|n['’]arrive)(?: pas| pas à| pas en mesure de|"
    r" pas le moyen d['’e])?[^.!?\n]{0,30}"
    r'(?:accéder|accès|voir|lire|ouvrir|consulter)[^.!?\n]{0,50}\b(?:code|dépôt|repo|sources?|fichiers?|projet)\b',
)
UNABLE = re.compile('|'.join(_UNABLE), re.IGNORECASE)

# A name after one of these in its sentence is a proposal: it need not exist yet.
_CREATE = (
    # Present forms only: what was already added is in the tree.
    r'\b(?:create|creates|creating|add|adds|adding|introduc(?:e|es|ing)|extract|extracting|new|defin(?:e|es|ing) an?|'
    r'implement(?:s|ing)? an?|writ(?:e|es|ing) an?|propose|proposing|suggest|would be (?:called|named)|(?:call|'
    r'name) it)\b',
    r'\b(?:cre(?:a|are|iamo|erei)|aggiung\w+|nuov[oae]|introdu(?:rre|rrei|ci)|propong\w*|definire|estrarr\w+)\b',
    r'\b(?:erstelle\w*|füg\w*|hinzufügen|neue[nmrs]?|anleg\w*|lege|einführen|führe|schlage|vorschlag\w*)\b',
    r'\b(?:cre(?:ar|a|e|o|amos)|añad(?:ir|iría|e|o)|agreg(?:ar|aría|a|o)|nuev[oa]s?|introduc(?:ir|e)|propon\w+)\b',
    r'\b(?:cré(?:er|e|ez|ons)|ajout(?:er|ez|ons|e|erais)|nouve(?:au|lle|l|aux)|introdui(?:re|s|sez)|propose[rz]?)\b',
    r'(?:созда(?:ть|й|йте|м)|добав(?:ить|ь|ьте|лю|ил бы)|нов(?:ый|ую|ое|ая|ого|ой|ом)|введ(?:ите|ём)|предлага\w+|'
    r'предлож\w+)',
    r'(?<!被)(?:创建|新建|添加|新增|增加|引入|新的|建议|建立)(?!了)',
)
# Not inside a path or another name (`packages/create-vite`).
CREATE = re.compile(rf'(?<![A-Za-z0-9_/.`-])(?:{"|".join(_CREATE)})(?![/_-])', re.IGNORECASE)
# ... unless one of these directly precedes the name: then it is a place, or something used.
PLACE = re.compile(
    r'(?:\b(?:in|to|into|at|from|inside|within|of|under|by|via|with|using|calls?|uses?|through|after|before|like|and|'
    r'dans|à|au|vers|depuis|de|du|avec|par|'
    r'nel|nello|nella|negli|al|alla|da|dal|dalla|con|di|del|della|'
    r'im|zu|zur|zum|aus|von|mit|über|'
    r'en|a(?=\s*$)|desde|con|por|del?|'
    r'в|во|к|из|от|с|через|для)|'
    r'在|到|从|由|用|通过|调用|于|向)\s*(?:the\s+|la\s+|le\s+|il\s+|lo\s+|el\s+|das\s+|der\s+|die\s+|dem\s+|den\s+)?'
    r'(?:(?!an?\b|une?\b|un[ao]\b|eine?\b)\w+\s+)?'
    r'(?:file|module|class|function|method|package|fichier|module|classe|fonction|méthode|modulo|'
    r'funzione|metodo|datei|'
    r'modul|klasse|funktion|methode|archivo|módulo|clase|función|método|файл\w*|модул\w*|класс\w*|функци\w*|'
    r'метод\w*|文件|模块|类|'
    r'函数|方法)?\s*[`"“«]?$',
    re.IGNORECASE,
)
RENAME = re.compile(
    r'(?:renam\w+|rinomin\w+|umbenenn\w*|renombr\w+|renomm\w+|переимен\w+|重命名|改名)[^.\n]{0,80}?`[^`\n]+`[^.`\n]{0,20}?'
    r'(?:\b(?:to|as|into|in|zu|nach|a|en|в|на)\b|为|成)\s*`(?P<new>[^`\n]+)`',
    re.IGNORECASE,
)

# A name next to one of these is said not to exist, so it is no invention.
ABSENT = re.compile(
    r"(?:\bthere(?:['’]s| is| are|['’]re) (?:no|not)\b|\bdo(?:es)?(?:n['’]t| not) (?:\w+ )?(?:exist|contain|have|"
    r'define|include)|'
    r"\bno longer\b|\b(?:was|were|been|is) removed\b|\bnot found\b|\bnon-?existent\b|\b(?:could(?:n['’]t| not)|"
    r"can(?:no|['’])t) find\b|"
    r'\bnot (?:exist|present|defined|there)\b|\bno (?:such )?(?:file|function|class|method|module|symbol)\b|'
    r"\bnon (?:esiste|esistono|c['’]è|ci sono|è presente)\b|\bexistier(?:t|en) nicht\b|\bgibt es (?:nicht|"
    r'kein\w*)\b|\bgibt es\b[^.\n]{0,60}\bnicht\b|'
    r"\bno (?:existe|existen|hay|está)\b|\bn['’](?:existe|existent|y a) (?:pas|aucun\w*)\b|\bil n['’]y a pas\b|"
    r'не существует|отсутству|\bнет (?:такого|такой|функции|файла|класса|метода|модуля)\b|'
    r'не найден|不存在|没有(?:名为|叫|'
    r'找到|定义)|找不到|已删除|未找到)',
    re.IGNORECASE,
)

# A plain word next to one of these is a name.
NOUN = (
    r'(?:function|method|class|module|variable|attribute|field|parameter|constant|decorator|helper|struct|'
    r'interface|trait|'
    r'funzione|metodo|classe|modulo|variabile|attributo|funktion|methode|klasse|modul|variable|función|método|'
    r'clase|módulo|'
    r'fonction|méthode|функци[яюией]|метод\w{0,2}|класс\w{0,2}|модул\w{1,2}|函数|方法|类|模块|变量)'
)
NOUN_BEFORE = re.compile(rf'(?<!\w){NOUN}\s*$', re.IGNORECASE)
NOUN_AFTER = re.compile(rf'^\s*{NOUN}(?!\w)', re.IGNORECASE)


def says_unable(answer: str) -> bool:
    """Whether the answer says that its author cannot see the code."""
    return UNABLE.search(answer) is not None
