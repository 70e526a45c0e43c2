"""Find declarations of a name that the slicer does not cut as definitions: properties, fields, arguments of macros.

A function that became one of these is not gone: callers still use its name.
"""

from __future__ import annotations

import re

from ctxkit.slicing import language_of

# Searched in what is left of a module or class without its functions. NAME stands for the name.
_SCRIPT = r'\b(?:const|let|var)[ \t]*[\[{][^=;]{0,500}\bNAME\b[^=;]{0,500}[\]}][^=;\n]{0,200}='
_ANYWHERE = {
    'csharp': r'\bNAME\s*\{\s*(?:(?:private|protected|internal)[ \t]+)*(?:get|set|init)\b',
    'swift': r'\b(?:let|var|case)[ \t][^\n=({]*\bNAME\b',
    'scala': r'\b(?:va[lr]|given)[ \t]+NAME\b|\bexport[ \t][^\n]*\bNAME\b',
    'javascript': _SCRIPT,
    'typescript': _SCRIPT,
    'tsx': _SCRIPT,
    'ruby': r'(?m)^[ \t]*(?:[cm]?attr_\w+|attribute|class_attribute|delegate\w*|(?:instance_|def_(?:instance_)?)'
    r'delegators?|alias_method|define_method|scope|has_\w+|belongs_to|option)\b(?:[^#\n]|,[ \t]*\n){0,400}?:NAME\b',
    'rust': r'\b\w+![ \t]*[({\[][^;}]{0,2000}\bNAME\b',
    'c': r'(?m)^[ \t]*[A-Z][A-Z0-9_]+[ \t]*\([^()\n]*\bNAME\b',
}
_ANYWHERE['cpp'] = _ANYWHERE['c']
_IN_CLASSES = {
    'python': r'(?m)^[ \t]+NAME[ \t]*:',
    'csharp': r'(?m)^[ \t]*(?:[\w<>,.?\[\]]+[ \t]+)+NAME[ \t]*;',
    'typescript': r'(?m)^[ \t]+(?:(?:declare|override|private|protected|public|readonly|static)[ \t]+)*'
    r'NAME[?!]?[ \t]*[:;]',
}
_IN_CLASSES['tsx'] = _IN_CLASSES['typescript']


def declares(name: str, path: str, kind: str, text: str) -> bool:
    """Whether the text of a chunk of `path` (`kind` 'module' or 'class') declares `name` other than by a definition."""
    language = language_of(path)
    patterns = [_ANYWHERE.get(language), _IN_CLASSES.get(language) if kind == 'class' else None]
    return any(re.search(one.replace('NAME', re.escape(name)), text) for one in patterns if one)
